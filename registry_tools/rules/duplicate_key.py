"""`duplicate-key`: no key is there twice."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="duplicate-key",
    severity=Severity.ERROR,
    title="No key is there twice",
    why="Some readers of YAML take the first, some the last, some refuse the file. What people "
    "saw in the review must be what is used.",
    bad="author: alice\\nauthor: mallory",
    good="author: alice",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    yield from entry.list_problems(RULE)
