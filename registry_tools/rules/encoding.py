"""`encoding`: the file is UTF-8 text, without a byte order mark."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="encoding",
    severity=Severity.ERROR,
    title="A manifest is UTF-8",
    why="What is not UTF-8 is read in other letters, or not at all, on another machine. A byte "
    "order mark is a letter that nobody sees, and some programs take it for part of the first "
    "key.",
    bad="description: Caf\\xe9  # saved as Latin-1",
    good="description: Café  # saved as UTF-8",
    mends="removes a byte order mark",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    yield from entry.list_problems(RULE)
