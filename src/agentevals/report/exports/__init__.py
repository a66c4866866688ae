"""Files of a review. To add one: write a module with `FILE` and `render`, then list it here."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from agentevals.model.plugins import Table
from agentevals.model.results import Finding, Severity
from agentevals.model.review import Review
from agentevals.report.exports.folder import open_folder


class Export(Protocol):
    """What a module of this folder provides."""

    FILE: str

    def render(self, review: Review) -> Iterator[str]:
        """The review as text, in pieces, because a run may be larger than memory."""
        ...


EXPORTS: Table[Export] = Table(
    "file of a review",
    {
        "report": "agentevals.report.exports.report",
        "junit": "agentevals.report.exports.junit",
        "sarif": "agentevals.report.exports.sarif",
        "ctrf": "agentevals.report.exports.ctrf",
        "badge": "agentevals.report.exports.badge",
        "comment": "agentevals.report.exports.comment",
    },
    group="agentevals.exports",
)


class Written(NamedTuple):
    """The files that are there now, and why others are not."""

    paths: list[Path]
    problems: list[Finding]


def write(folder: Path, review: Review, *, within: Path | None = None) -> Written:
    """Every file, whole or not at all. One that cannot be written costs only itself.

    `within` is the folder that must not be left, not even through a link; without it the
    folder itself may not be a link.
    """
    written = Written([], [])
    try:
        opened = open_folder(folder, within)
    except OSError as error:
        written.problems.append(_problem(folder, error))
        return written
    with opened:
        for name in EXPORTS:
            export = EXPORTS[name]
            try:
                opened.write(export.FILE, export.render(review))
                written.paths.append(folder / export.FILE)
            except OSError as error:
                written.problems.append(_problem(folder / export.FILE, error))
    return written


def _problem(path: Path, error: OSError) -> Finding:
    why = (error.strerror or str(error)).lower()
    message = f"cannot be written: {why}; name another report-dir, or make room"
    return Finding(severity=Severity.WARNING, rule="report-file", message=message, path=str(path))
