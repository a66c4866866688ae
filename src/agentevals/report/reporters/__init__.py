"""Output formats. To add one: write a module with `render`, then list it here."""

from collections.abc import Iterator
from typing import Protocol

from agentevals.model.plugins import Table
from agentevals.model.results import Report


class Reporter(Protocol):
    """What a reporter module provides."""

    def render(self, report: Report) -> Iterator[str]:
        """The report as text, in pieces, because a report may be larger than memory."""
        ...


REPORTERS: Table[Reporter] = Table(
    "output format",
    {
        "table": "agentevals.report.reporters.table",
        "json": "agentevals.report.reporters.json_",
        "report": "agentevals.report.reporters.report",
        "summary": "agentevals.report.reporters.summary",
        "markdown": "agentevals.report.reporters.markdown",
        "junit": "agentevals.report.reporters.junit",
    },
    group="agentevals.reporters",
)
