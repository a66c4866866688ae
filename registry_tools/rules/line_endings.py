"""`line-endings`: lines end the same everywhere."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="line-endings",
    severity=Severity.WARNING,
    title="Lines end with LF",
    why="Files are compared by their hashes. With the line ends of Windows the same file has "
    "another hash, depending on how it was checked out.",
    bad="name: politeness\\r\\n",
    good="name: politeness\\n",
    mends="writes LF line ends",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    yield from entry.list_problems(RULE)
