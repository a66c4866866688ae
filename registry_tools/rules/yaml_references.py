"""`yaml-references`: everything is written out where it belongs."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="yaml-references",
    severity=Severity.ERROR,
    title="No anchors, aliases, tags or merge keys",
    why="A few lines of aliases stand for gigabytes, a tag can ask for an object of a program, "
    "and readers disagree on merge keys. A manifest is short enough to be written out.",
    bad="tags: &tags [text]\\nx-tags: *tags",
    good="tags: [text]",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    yield from entry.list_problems(RULE)
