"""Lines for people on stderr: log messages, and a progress bar while long work is done."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from agentevals.text.terminal import line, plain

_OURS = "agentevals"
_PREFIXES = {logging.WARNING: "warning: ", logging.ERROR: "error: "}

_PATIENCE = 0.7  # seconds before a bar is worth its flicker
_EVERY = 0.1  # seconds between two drawings
_WIDTH = 28


class _Lines(logging.Formatter):
    """One line per message, whatever foreign text is in it; a traceback has its own below."""

    def format(self, record: logging.LogRecord) -> str:
        prefix = f"agentevals: {_PREFIXES.get(record.levelno, '')}"
        said = [plain(record.getMessage())]
        if record.exc_info:
            said += [plain(row) for row in self.formatException(record.exc_info).splitlines()]
        return "".join(line(f"{prefix}{text}") for text in said)


class _OverTheBar(logging.StreamHandler):  # type: ignore[type-arg]  # generic only in its stub
    """A progress bar may stand where a line is to be written; it draws itself again."""

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream.isatty():
            self.stream.write("\r\x1b[K")
        super().emit(record)


def show(*, everything: bool) -> None:
    """Progress and warnings of ours reach people; with `everything` also what is for debugging."""
    handler = _OverTheBar(sys.stderr)
    handler.setFormatter(_Lines())
    handler.terminator = ""
    ours = logging.getLogger(_OURS)
    ours.handlers = [handler]
    ours.setLevel(logging.DEBUG if everything else logging.INFO)
    ours.propagate = False


def begin(*, everything: bool = False, offline: bool = False) -> None:
    """Show messages from now on, and fetch nothing if the command is to stay offline."""
    show(everything=everything)
    if offline:
        os.environ["AGENTEVALS_OFFLINE"] = "1"


class Bar:
    """Draws itself over its own line of stderr. Elsewhere than on a terminal it never draws."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._started = self._drawn = monotonic()
        self._shown = False
        self._visible = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = monotonic()
        if not self._visible or now - self._started < _PATIENCE or now - self._drawn < _EVERY:
            return
        self._drawn, self._shown = now, True
        filled = _WIDTH * min(done, total) // max(total, 1)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        print(f"\r{bar} {done}/{total} {self._noun}", end="\x1b[K", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave the line as it was."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def make_bar(noun: str) -> Iterator[Bar]:
    """A bar for the time of some work, whatever becomes of it."""
    drawn = Bar(noun)
    try:
        yield drawn
    finally:
        drawn.clear()
