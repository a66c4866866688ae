"""Opens files that users name, without waiting for ever for a pipe or a device."""

import os
import select
import stat
from pathlib import Path

PATIENCE = 5.0  # seconds for a program to begin to write into a pipe
_MS = 1000


def open_readable(path: str | Path, flags: int, *, patience: float = PATIENCE) -> int:
    """Open for `open`: refuse devices, and pipes that no program writes into."""
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
    """Return whether there is something to read, or a program that may still write."""
    awaited = select.poll()
    awaited.register(pipe, select.POLLIN)
    if awaited.poll(patience * _MS):
        return True
    try:
        return bool(os.read(pipe, 1))
    except BlockingIOError:
        return True
