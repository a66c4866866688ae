"""`ambiguous-scalar`: words that readers of YAML disagree on are in quotes."""

from collections.abc import Iterator

from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule
from registry_tools.manifests.registry import Registry

RULE = Rule(
    id="ambiguous-scalar",
    severity=Severity.ERROR,
    title="Words that readers disagree on are in quotes",
    why="Without quotes `yes`, `on`, `010`, `1:30`, `1e3` and `2026-03-26` are a truth value, a "
    "number or a day for one reader of YAML and text for another, depending on the version of "
    "YAML that it knows.",
    bad="name: yes",
    good='name: "yes"',
    mends="writes the quotes",
)


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    yield from entry.list_problems(RULE)
