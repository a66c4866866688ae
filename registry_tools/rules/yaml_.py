"""`yaml`: the file is one YAML document."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="yaml",
    severity=Severity.ERROR,
    title="A manifest is one YAML document",
    why="A file that cannot be read describes nothing. One that holds two documents is read in "
    "part by some programs and refused by others, and what is nested very deeply brings some "
    "of them down.",
    bad="author: @octocat",
    good='author: "@octocat"',
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    yield from entry.list_problems(RULE)
