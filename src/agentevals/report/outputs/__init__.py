"""Output formats of `-o`, of `--output-file` and of the report folder, all made in one way.

To add one: write a module with `render`, named as the format, then list the name in
`agentevals.model.output_formats`. One with a `FILE`, the name of its file
in the report folder, can also be listed under FILES.
"""

from collections.abc import Iterator
from typing import Any, Protocol

from agentevals.compare import comparison
from agentevals.model.output_formats import OUTPUT_FORMATS, REPORTERS
from agentevals.model.plugins import Table
from agentevals.model.results import Report
from agentevals.model.review import Review


class Output(Protocol):
    """A module of this folder."""

    def render(self, review: Review) -> Iterator[str]:
        """The review as text, in pieces, because a run may be larger than memory."""
        ...


class File(Output, Protocol):
    """An output that the action leaves in the report folder."""

    FILE: str


class Reporter(Protocol):
    """An output format of another package, which is given the report of one run."""

    def render(self, report: Report) -> Iterator[str]:
        """The report as text, in pieces."""
        ...


class _Foreign:
    """A reporter of another package as an output."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def render(self, review: Review) -> Iterator[str]:
        for outcome in review.sections:
            yield from self._reporter.render(comparison.report_of(outcome))


class _Outputs(Table[Output]):
    def __getitem__(self, name: str) -> Output:
        found: Any = super().__getitem__(name)
        return found if name in self.ours else _Foreign(found)


OUTPUTS = _Outputs(
    "output format",
    {name: f"{__name__}.{'json_' if name == 'json' else name}" for name in OUTPUT_FORMATS.ours},
    group=REPORTERS,
)
_IN_THE_FOLDER = ("review", "junit", "sarif", "ctrf", "badge", "comment", "failures", "html")
FILES: Table[File] = Table(
    "file of a review",
    {name: OUTPUTS.ours[name] for name in _IN_THE_FOLDER},
    group="agentevals.exports",
)
