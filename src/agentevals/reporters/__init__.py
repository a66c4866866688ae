"""Output formats. To add one: write a module with `render`, then list it here."""

from collections.abc import Iterator
from typing import Protocol

from agentevals.report import Report
from agentevals.seams import Table


class Reporter(Protocol):
    """What a reporter module provides."""

    def render(self, report: Report) -> Iterator[str]:
        """The report as text, in pieces, because a report may be larger than memory."""
        ...


REPORTERS: Table[Reporter] = Table(
    "output format",
    {
        "table": "agentevals.reporters.table",
        "json": "agentevals.reporters.json_",
        "report": "agentevals.reporters.report",
        "summary": "agentevals.reporters.summary",
        "markdown": "agentevals.reporters.markdown",
        "junit": "agentevals.reporters.junit",
    },
    group="agentevals.reporters",
)
