"""Opening what a user named as a file, and not waiting forever for what never comes."""

import os
import select
import stat
from pathlib import Path

PATIENCE = 5.0  # seconds for a program to begin to write into a pipe
_MS = 1000


def reader(path: str | Path, flags: int, *, patience: float = PATIENCE) -> int:
    """An opener for `open`: refuses devices, and pipes that nobody writes into."""
    mode = os.stat(path).st_mode  # noqa: PTH116 -- what `open` gives to an opener is text
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        msg = "it is a device; name a file"
        raise OSError(msg)
    if not stat.S_ISFIFO(mode):
        return os.open(path, flags)
    pipe = os.open(path, flags | os.O_NONBLOCK)
    if not _is_written(pipe, patience):
        os.close(pipe)
        msg = "it is a pipe that no program writes into; name a file"
        raise OSError(msg)
    os.set_blocking(pipe, True)
    return pipe


def _is_written(pipe: int, patience: float) -> bool:
    """Whether there is something to read, or somebody who may still write it."""
    awaited = select.poll()
    awaited.register(pipe, select.POLLIN)
    if awaited.poll(patience * _MS):
        return True
    try:
        return bool(os.read(pipe, 1))
    except BlockingIOError:
        return True
