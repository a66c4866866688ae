"""Being cancelled: SIGINT and SIGTERM end this process in order, and within seconds.

GitHub sends SIGINT, after 7.5 s SIGTERM, and after 2.5 s more SIGKILL. The first process of a
container gets no signal that it has no handler for, so that `heed` comes before everything else.
"""

import _thread
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SHELL = 128  # what a shell adds to the number of the signal that ended a program
EXIT_CODES = frozenset(SHELL + number for number in SIGNALS)
_AT_THE_LATEST = 4.8  # seconds after the signal

_first: list[Callable[[], None]] = []
_by: int | None = None  # the signal, once it has come
_held = 0  # blocks of the main thread in which nothing is raised


class Cancelled(BaseException):
    """Raised in the main thread when a signal asks this process to end. Nothing is wrong, so it
    is no Exception."""

    def __init__(self, number: int) -> None:
        super().__init__(f"cancelled by {signal.Signals(number).name}")
        self.exit_code = SHELL + number


def heed(*, unless_ignored: bool = False) -> None:
    """Raise Cancelled at the first of the signals; those after it change nothing.

    A shell has its background programs ignore SIGINT, which `unless_ignored` respects.
    """
    for number in SIGNALS:
        if not unless_ignored or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _cancel)


def call_first(end: Callable[[], None]) -> None:
    """Call `end` as soon as the signal comes. It runs in the handler, so it must not wait."""
    _first.append(end)


def is_cancelled() -> bool:
    """Tell whether the signal has come. From then on, no program is started."""
    return _by is not None


def get_exit_code() -> int | None:
    """Return what this process ends with because the signal has come; None if it has not."""
    return None if _by is None else SHELL + _by


@contextmanager
def insist() -> Iterator[None]:
    """Raise Cancelled at the end of the block if the signal has come, whatever else was raised.

    A library may have made another exception of it: pydantic reports a schema that is wrong.
    """
    try:
        yield
    finally:
        if _by is not None:
            raise Cancelled(_by)


class _Hold:
    """Holds a cancel back. Of a class, and not a generator: it is entered for every case."""

    def __enter__(self) -> None:
        global _held  # noqa: PLW0603 -- one per process, like its signals
        _held += 1

    def __exit__(self, *_: object) -> None:
        global _held  # noqa: PLW0603 -- one per process, like its signals
        _held -= 1
        if _by is not None:
            raise Cancelled(_by)


_HOLD = _Hold()


def hold() -> _Hold:
    """Do the block wholly: a signal that comes in it raises Cancelled at its end.

    For short steps of the main thread that must not be left half done.
    """
    return _HOLD


def end_at_once() -> None:
    """Have the signals end the process at once from now on, because nothing is left to close."""
    for number in SIGNALS:
        if signal.getsignal(number) is _cancel:
            signal.signal(number, _end)


def leave(code: int) -> NoReturn:
    """End the process as `sys.exit` does, but without waiting for threads that still work."""
    with suppress(Exception):  # what cannot be cleaned up must not keep us here
        atexit._run_exitfuncs()  # noqa: SLF001 -- `os._exit` leaves them out
    _end_children()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(code)


def _cancel(number: int, _frame: FrameType | None) -> None:
    global _by  # noqa: PLW0603 -- one per process, like its signals
    for each in SIGNALS:
        signal.signal(each, _ignore)  # not SIG_IGN, which children would inherit
    _by = number
    with suppress(RuntimeError):  # no room for another thread
        # takes no lock, unlike `threading`, in whose middle the signal may have come
        _thread.start_new_thread(_leave_at_last, (SHELL + number,))
    for end in _first:
        end()
    if not _held:
        raise Cancelled(number)


def _end_children() -> None:
    """End what nobody knows of any more: the signal came when it had just been started."""
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread, or the child, has ended
            for pid in map(int, listed.read_text(encoding="ascii").split()):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the process is about to end."""


def _end(number: int, _frame: FrameType | None) -> None:
    os._exit(SHELL + number)


def _leave_at_last(code: int) -> None:
    time.sleep(_AT_THE_LATEST)
    os._exit(code)
