"""Formats of findings, and the rules that they may name.

To add a format, write a module with `render`, then list it here.
"""

from collections.abc import Iterator
from typing import Protocol

from agentevals.model.plugins import Table
from agentevals.model.results import Severity
from agentevals.text.wording import plural
from registry_tools.index import index_updates
from registry_tools.manifests.registry_finding import Outcome, Rule
from registry_tools.rules import RULES
from registry_tools.smoke import smoke_rules as smoke

_HOME = "registry_tools.cli.formats"


class Format(Protocol):
    """A format's module: it renders pieces of text, with their line ends."""

    def render(self, outcome: Outcome) -> Iterator[str]: ...


FORMATS: Table[Format] = Table(
    "format",
    {
        "text": f"{_HOME}.text",
        "json": f"{_HOME}.json_",
        "sarif": f"{_HOME}.sarif",
        "github": f"{_HOME}.github",
        "markdown": f"{_HOME}.markdown",
    },
)


def list_rules() -> list[Rule]:
    """Return the rules of the table, then those of smoke runs and of updates."""
    return [*(RULES[name].RULE for name in RULES.ours), *smoke.RULES, *index_updates.ALL]


def summarise(outcome: Outcome) -> str:
    """Write the last line: the number of entries and of findings."""
    looked = plural(len(outcome.checked), "evaluator")
    counts = [
        plural(count, severity.value) for severity in Severity if (count := outcome.count(severity))
    ]
    said = f"{looked} checked: {', '.join(counts) or 'nothing to say'}"
    if outcome.fixed:
        said += f"; {plural(outcome.fixed, 'edit')} made"
    return f"{said}; --fix puts {outcome.fixable} right" if outcome.fixable else said
