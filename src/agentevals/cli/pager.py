"""Long text on a terminal, page by page; elsewhere it is written as it is."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from agentevals.text.terminal import line, plain

_LESS = ["less", "-FRX"]  # ends by itself on a short text, and keeps the colours and the screen


def show(pieces: Iterable[str]) -> None:
    """Write the text, on a terminal by `$PAGER` or `less`. An empty one or `cat` means none."""
    command = _find_command()
    if not (command and _page(command, pieces)):
        sys.stdout.writelines(pieces)


def _page(command: list[str], pieces: Iterable[str]) -> bool:
    """Return whether the pager has shown it."""
    with _leave_keys_to_it():
        started = _start(command)
        if started is None or started.stdin is None:
            return False
        with started, suppress(BrokenPipeError), started.stdin:  # it may have been left early
            started.stdin.writelines(pieces)
    return True


def _find_command() -> list[str]:
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return []
    chosen = os.environ.get("PAGER")
    if chosen is None:
        return _LESS
    try:
        words = shlex.split(chosen)
    except ValueError as error:
        return _complain(chosen, str(error).lower())
    return [] if words == ["cat"] else words


def _start(command: list[str]) -> "subprocess.Popen[str] | None":
    """Start it; None if there is none, which the text can do without."""
    settings = {"LESS": "FRX", **os.environ}
    try:
        return subprocess.Popen(  # noqa: S603 -- the user's own pager, without a shell
            command,
            stdin=subprocess.PIPE,
            text=True,
            encoding=sys.stdout.encoding,
            errors=sys.stdout.errors,
            env=settings,
        )
    except OSError as error:
        if command is not _LESS:
            _complain(shlex.join(command), (error.strerror or str(error)).lower())
    return None


def _complain(pager: str, why: str) -> list[str]:
    said = f"agentevals: warning: $PAGER {pager!r} cannot be started: {why}; shown without a pager"
    sys.stderr.write(line(plain(said)))
    return []


@contextmanager
def _leave_keys_to_it() -> Iterator[None]:
    """Ctrl+C is for the pager, which must not be left alone on the terminal."""
    before = signal.signal(signal.SIGINT, _ignore)  # not SIG_IGN, which it would inherit
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    pass
