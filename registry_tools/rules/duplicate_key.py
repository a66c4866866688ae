"""`duplicate-key`: no key is there twice."""

from collections.abc import Iterator

from agentevals.report import Severity
from registry_tools.entry import Entry
from registry_tools.finding import Finding, Rule
from registry_tools.registry import Registry
from registry_tools.written import faults

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
    yield from entry.faults(faults.DUPLICATE, RULE)
