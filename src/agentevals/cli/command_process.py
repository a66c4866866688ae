"""The process of a command: its standard streams, and slow parts that start during imports."""

import codecs
import errno
import io
import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

import typer

from agentevals.text.terminal import WIDTH

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
_IN_ASCII = {
    "✓": "v",
    "✗": "x",
    "≠": "!",
    "–": "-",  # noqa: RUF001 -- an en dash, and that is what is replaced
    "·": "-",
    "…": "~",
    "“": '"',
    "”": '"',
    "│": "|",
    "█": "#",
    "░": ".",
    "≤": "<",
    "≥": ">",
    "×": "x",  # noqa: RUF001 -- the sign for "times"
    "−": "-",  # noqa: RUF001 -- the sign for "minus"
    "→": ">",
}
_OPTIONS = ("--config", "-c")
_READ = 1 << 16  # bytes of a config; further down it only takes a little longer
# what configs that start programs have in them
_MARKS = (b"custom_metrics", b"customMetrics", b".py")
# a UiPath project says it by its folders
_CLASSES = Path("evaluators", "custom")


class Form(StrEnum):
    """The form of what a command prints."""

    TABLE = "table"
    JSON = "json"


TableOrJson = Annotated[
    Form, typer.Option("-o", "--output", help="A table for people, or json for programs")
]


def prepare_streams() -> None:
    """Open every stream, and replace letters that one of them cannot show."""
    _open_closed()
    codecs.register_error("agentevals", _replace_signs)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="agentevals")


def _open_closed() -> None:
    """Open a stream that the shell closed; else the next file would be in its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _replace_signs(error: UnicodeError) -> tuple[str, int]:
    """Replace signs that a terminal cannot show, each by one that is one column wide."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(letter, "?") for letter in letters), error.end


def shows_colours() -> bool:
    """Return whether to colour: see https://no-color.org; a terminal must know colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def find_width() -> int:
    """Return the columns of the terminal, or those where nobody says how many there are."""
    return get_terminal_size((WIDTH, 24)).columns


def describe_refusal(error: BaseException) -> str | None:
    """Return why nothing more can be written; empty when the reader has seen enough. Else None."""
    if isinstance(error, BrokenPipeError):
        return ""
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"the output cannot be written: {(error.strerror or '').lower()}"
    return None


def abandon_output() -> None:
    """Discard what is still to be written: a second try at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def start_sandbox(words: Sequence[str]) -> None:
    """Start the sandbox where a run seems to need it; another run starts it later."""
    if needs_programs(words):
        import_module("agentevals.sandbox.isolation").start()


def needs_programs(words: Sequence[str]) -> bool:
    """Guess by a glance at the config that the words name."""
    return words[:1] == ["run"] and any(map(_starts_programs, _find_configs(words)))


def _find_configs(words: Sequence[str]) -> list[Path]:
    named = [Path(value) for option, value in pairwise(words) if option in _OPTIONS]
    long = f"{_OPTIONS[0]}="
    return named + [Path(word.removeprefix(long)) for word in words if word.startswith(long)]


def _starts_programs(config: Path) -> bool:
    try:
        if (config.absolute().parents[1] / _CLASSES).is_dir():
            return True
        if not config.is_file():  # what was read from a pipe is gone
            return False
        with config.open("rb") as file:
            text = file.read(_READ)
    except (OSError, ValueError, IndexError):
        return False  # whoever reads it says what is wrong
    return any(mark in text for mark in _MARKS)
