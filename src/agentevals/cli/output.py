"""Where the report of a run goes: the terminal or the pipe, and files."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from typing import Protocol

from msgspec.structs import replace

from agentevals.model.errors import InputError
from agentevals.model.plugins import Table
from agentevals.model.results import Report
from agentevals.model.review import Outcome
from agentevals.report.exports import rows
from agentevals.report.pages import terminal
from agentevals.report.reporters import REPORTERS

_WIDTH = 100  # columns where nobody says how many there are
_READ_BY_PEOPLE = {"table", "summary"}
_SUFFIXES = {".json": "json", ".xml": "junit", ".md": "markdown", ".txt": "table"}


class ForTerminals(Protocol):
    """A reporter that wants to know what it is shown on."""

    def render(self, report: Report, *, colour: bool, width: int) -> Iterator[str]: ...


_FOR_TERMINALS: Table[ForTerminals] = Table(
    "output format", {"table": "agentevals.report.reporters.table"}
)


def target(given: str) -> tuple[str, Path]:
    """`junit=out.xml` or `out.xml`."""
    name, separator, path = given.partition("=")
    if not separator:
        path = given
        name = _SUFFIXES.get(Path(given).suffix, "")
    if name not in REPORTERS:
        known = ", ".join(REPORTERS)
        msg = f"--output-file {given}: say the format, as in 'json={path}' (known: {known})"
        raise InputError(msg)
    if not path:
        msg = f"--output-file {given}: say where, as in '{name}=report.{name}'"
        raise InputError(msg)
    return name, Path(path)


def known(name: str) -> str:
    """The name of an output format, or an InputError: said before anything runs."""
    REPORTERS[name]
    return name


def write(name: str, path: Path, report: Report, outcome: Outcome) -> Iterator[str]:
    """Writes a file; what comes out is why it could not, so that the others are still written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(REPORTERS[name].render(_excused(name, report, outcome)))
            file.writelines(_compared(name, outcome))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        yield f"--output-file {path}: cannot be written: {why}; give another path"


def show(name: str, report: Report, outcome: Outcome) -> None:
    """Onto stdout, as wide and as colourful as that is."""
    for piece in _pieces(name, report, outcome):
        sys.stdout.write(piece)


def _pieces(name: str, report: Report, outcome: Outcome) -> Iterator[str]:
    width, colour = get_terminal_size((_WIDTH, 24)).columns, _coloured()
    if name in _FOR_TERMINALS:
        yield from _FOR_TERMINALS[name].render(report, colour=colour, width=width)
    else:
        yield from REPORTERS[name].render(_excused(name, report, outcome))
    yield from _compared(name, outcome, colour=colour, width=width)


def _excused(name: str, report: Report, outcome: Outcome) -> Report:
    """The report without failures that are accepted, for who takes each of them for a red run."""
    if name != "junit" or not outcome.counts.accepted:
        return report
    return replace(report, cases=tuple(shown.case for shown in rows.cases(outcome)))


def _compared(
    name: str, outcome: Outcome, *, colour: bool = False, width: int = _WIDTH
) -> Iterator[str]:
    """Below what people read; what programs read has the outcome and its findings."""
    if name not in _READ_BY_PEOPLE:
        return iter(())
    return terminal.render(outcome, colour=colour, columns=width)


def _coloured() -> bool:
    """https://no-color.org, and a terminal that knows colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
