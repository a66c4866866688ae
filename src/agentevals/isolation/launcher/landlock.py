"""Which files a process may reach, enforced by the kernel (Landlock) and irrevocable.

Rights that a kernel does not know yet must not be asked for: every function takes the version
(ABI) that `abi()` found. https://docs.kernel.org/userspace-api/landlock.html
"""

import os
import stat
import struct
from collections.abc import Iterable

from agentevals.isolation.launcher.kernel import syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_BIND_AND_CONNECT_TCP = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

KNOWS_TRUNCATE, KNOWS_TCP, KNOWS_SIGNALS = 3, 4, 6


def abi() -> int:
    """The version this kernel offers, 0 for none."""
    try:
        return syscall(_CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def place(path: str, *, write: bool) -> tuple[int, bool] | None:
    """A path to be allowed, held open so that it can be named after this process lost its rights."""
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC), write
    except OSError:
        return None


def ruleset(version: int, places: Iterable[tuple[int, bool]], *, network: bool) -> int:
    """A file descriptor of rules under which only `places` can be reached."""
    rights = _rights(version)
    tcp = _BIND_AND_CONNECT_TCP if version >= KNOWS_TCP and not network else 0
    scoped = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= KNOWS_SIGNALS else 0
    size = 24 if version >= KNOWS_SIGNALS else 16 if version >= KNOWS_TCP else 8
    rules = syscall(_CREATE_RULESET, struct.pack("QQQ", rights, tcp, scoped)[:size], size, 0)
    for path, write in places:
        granted = rights if write else _EXECUTE | _READ_FILE | _READ_DIR
        if not stat.S_ISDIR(os.fstat(path).st_mode):
            granted &= _OF_FILES
        syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", granted & rights, path), 0)
    return rules


def enforce(rules: int) -> None:
    """Bind this process, and all that it will start, to the rules. Needs no_new_privs."""
    syscall(_RESTRICT_SELF, rules, 0)


def _rights(version: int) -> int:
    newer = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEVICE))
    return _ABI_1 | sum(right for since, right in newer if version >= since)
