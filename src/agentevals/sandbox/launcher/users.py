"""The user of a third-party program: one of its own when we are root, else ours with less."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentevals.sandbox.launcher.kernel import (
    PR_CAP_AMBIENT,
    PR_SET_DUMPABLE,
    PR_SET_KEEPCAPS,
    prctl,
    set_capabilities,
)

# One user per program that runs at a time, so that limits on processes count for one program and
# no program can signal another. These are reserved for no system user, service or distribution:
USERS = 14
_EVERY_USER = ["0", "0", "4294967295"]  # the map of a machine, or of a container without its own
_FEW = 65520  # the last of those that every container has
_MANY = 0x70000000  # above what is given to containers; each launcher has a block of its own

_CHOWN, _READ_SEARCH, _KILL, _SETGID, _SETUID = (1 << bit for bit in (0, 2, 5, 6, 7))
_AMBIENT_RAISE = 2


def find_first() -> int:
    """The first of this launcher's users: nobody else's, where there are enough of them."""
    try:
        mapped = Path("/proc/self/uid_map").read_text(encoding="ascii").split()
    except OSError:
        return _FEW
    # a shared user is the one behind the block
    return _MANY + os.getpid() * (USERS + 1) if mapped == _EVERY_USER else _FEW


def can_switch() -> bool:
    """Return whether this process may become another user, and clean up after it."""
    needed = _CHOWN | _KILL | _SETGID | _SETUID
    return os.geteuid() == 0 and _read_capabilities() & needed == needed


def can_search() -> bool:
    """Return whether this process could pass on the right to read files closed to others."""
    return bool(_read_capabilities() & _READ_SEARCH)


def become(user: int, *, search: bool) -> None:
    """Turn into `user` for good, keeping at most the right to read and search everywhere.

    With `search`, Landlock has to say what may be read.
    """
    if search:
        prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    give_up_capabilities(kept=_READ_SEARCH if search else 0)
    # a process that changed its user may not open its own /proc/self/fd entries, nor /dev/stdin
    prctl(PR_SET_DUMPABLE, 1)


def give_up_capabilities(*, kept: int = 0) -> None:
    """Lose every capability, so that even root is only the owner of root's files."""
    set_capabilities(kept)
    if kept:
        prctl(PR_CAP_AMBIENT, _AMBIENT_RAISE, kept.bit_length() - 1)


def is_open_to_others(paths: Iterable[str]) -> bool:
    """Return whether a user without any right can read all of these paths that exist."""
    named = {path for path in paths if os.path.lexists(path)}
    places = named | {os.path.realpath(path) for path in named}
    above = {folder for place in places for folder in _list_parents(place)}
    return all(_allows(folder, stat.S_IXOTH) for folder in above) and all(
        _allows(place, stat.S_IROTH) for place in places
    )


def _list_parents(path: str) -> Iterator[str]:
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


def _allows(path: str, right: int) -> bool:
    mode = os.stat(path).st_mode  # noqa: PTH116 -- no time for a Path
    if stat.S_ISDIR(mode):
        right |= stat.S_IXOTH
    return mode & right == right


def _read_capabilities() -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
