"""The end of programs with all that they started, for the process that started them."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

_LAST_PATIENCE = 1.0


def signal_group(group: int, number: int) -> None:
    """To a program and all it started; it may not have made its group yet."""
    with suppress(PermissionError):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            with suppress(ProcessLookupError):
                os.kill(group, number)


def find_ended() -> int:
    """The process id of a child that ended and was not yet waited for, 0 for none."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return 0
    return found.si_pid if found else 0


def is_gone(group: int) -> bool:
    """Return whether nobody is left of a group that was ended.

    Until then one may be in the middle of a call that it made before, such as renaming a file.
    """
    try:
        os.waitid(os.P_PGID, group, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def outlive_children() -> None:
    """Until none is left that could still write: who was killed is not gone at once."""
    patience = time.monotonic() + _LAST_PATIENCE
    while time.monotonic() < patience:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not ended:
            end_strays(set())
            time.sleep(_LAST_PATIENCE / 100)


def end_strays(groups: set[int]) -> None:
    """End orphans that left their group, where no filter keeps them from doing so."""
    try:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    except OSError:
        return
    for pid in map(int, children):
        with suppress(ProcessLookupError):
            if pid not in groups and os.getpgid(pid) not in groups:
                signal_group(pid, signal.SIGKILL)
