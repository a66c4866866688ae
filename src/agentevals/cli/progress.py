"""A progress bar for people: on a terminal, for long work, and gone when the work is done."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

_PATIENCE = 0.7  # seconds before a bar is worth its flicker
_EVERY = 0.1  # seconds between two drawings
_WIDTH = 28


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
