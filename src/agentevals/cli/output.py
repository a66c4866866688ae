"""Where the report of a run goes: the terminal or the pipe, and files."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from typing import Protocol

from agentevals.model.errors import InputError
from agentevals.model.plugins import Table
from agentevals.model.review import Review
from agentevals.report.outputs import OUTPUTS
from agentevals.report.terminal import WIDTH

_SUFFIXES = {".json": "json", ".xml": "junit", ".md": "markdown", ".txt": "table"}


class ForTerminals(Protocol):
    """An output that wants to know what it is shown on."""

    def render(self, review: Review, *, colour: bool, width: int) -> Iterator[str]: ...


_FOR_TERMINALS: Table[ForTerminals] = Table(
    "output format", {name: OUTPUTS.ours[name] for name in ("table", "summary")}
)


def target(given: str) -> tuple[str, Path]:
    """`junit=out.xml` or `out.xml`."""
    name, separator, path = given.partition("=")
    if not separator:
        path = given
        name = _SUFFIXES.get(Path(given).suffix, "")
    if name not in OUTPUTS:
        known = ", ".join(OUTPUTS)
        msg = f"--output-file {given}: say the format, as in 'json={path}' (known: {known})"
        raise InputError(msg)
    if not path:
        msg = f"--output-file {given}: say where, as in '{name}=report.{name}'"
        raise InputError(msg)
    return name, Path(path)


def known(name: str) -> str:
    """The name of an output format, or an InputError: said before anything runs."""
    OUTPUTS[name]
    return name


def write(name: str, path: Path, review: Review) -> Iterator[str]:
    """Writes a file; what comes out is why it could not, so that the others are still written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(OUTPUTS[name].render(review))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        yield f"--output-file {path}: cannot be written: {why}; give another path"


def show(name: str, review: Review) -> None:
    """Onto stdout, as wide and as colourful as that is."""
    if name in _FOR_TERMINALS:
        width = get_terminal_size((WIDTH, 24)).columns
        pieces = _FOR_TERMINALS[name].render(review, colour=_coloured(), width=width)
    else:
        pieces = OUTPUTS[name].render(review)
    for piece in pieces:
        sys.stdout.write(piece)


def _coloured() -> bool:
    """https://no-color.org, and a terminal that knows colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
