"""Limits on the files of a process, enforced by the kernel (Landlock) and irrevocable.

Rights that a kernel does not know yet must not be asked for: everything here depends on the
version (ABI) that it offers. https://docs.kernel.org/userspace-api/landlock.html
"""

import os
import stat
import struct
from collections.abc import Iterable
from enum import Enum

from agentevals.sandbox.launcher.kernel import syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_OF_A_PATH, _RULE_OF_A_PORT = 1, 2
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_CONNECT_TCP, _BIND_AND_CONNECT_TCP = 2, 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

KNOWS_TCP, KNOWS_SIGNALS = 4, 6

# A rule holds its path open, so that it outlives the right to open it.
Rule = tuple[int, bytes]


class Access(Enum):
    """The access that a rule allows below its path."""

    LIST = _READ_DIR
    READ = _EXECUTE | _READ_FILE | _READ_DIR
    WRITE = -1


def find_version() -> int:
    """The version that this kernel offers, 0 for none."""
    try:
        return syscall(_CREATE_RULESET, 0, 0, 1)
    except OSError:
        return 0


class Landlock:
    """Rules in the version that this kernel understands."""

    def __init__(self, version: int) -> None:
        newer = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEVICE))
        self._rights = _ABI_1 | sum(right for since, right in newer if version >= since)
        scoped = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= KNOWS_SIGNALS else 0
        size = 24 if version >= KNOWS_SIGNALS else 16 if version >= KNOWS_TCP else 8
        self._attributes = {
            network: struct.pack("QQQ", self._rights, tcp, scoped)[:size]
            for network, tcp in ((True, 0), (False, _BIND_AND_CONNECT_TCP))
        }

    def make_rules(self, paths: Iterable[str], access: Access) -> list[Rule]:
        """For those paths that exist."""
        return [rule for path in paths if (rule := self._rule(path, access))]

    def make_ruleset(self, rules: Iterable[Rule], *, network: bool, port: int = 0) -> int:
        """A file descriptor of rules, to be enforced when nothing else is to be opened.

        The kernel knows a port, not whose it is.
        """
        attributes = self._attributes[network]
        made = syscall(_CREATE_RULESET, attributes, len(attributes), 0)
        for rule in rules:
            syscall(_ADD_RULE, made, _RULE_OF_A_PATH, rule[1], 0)
        if port and not network:
            syscall(_ADD_RULE, made, _RULE_OF_A_PORT, struct.pack("QQ", _CONNECT_TCP, port), 0)
        return made

    def _rule(self, path: str, access: Access) -> Rule | None:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return None
        granted = self._rights & access.value
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            granted &= _OF_FILES
        return opened, struct.pack("=Qi", granted, opened)


def enforce(ruleset: int) -> None:
    """Bind this process, and all that it will start, to the rules. Needs no_new_privs."""
    syscall(_RESTRICT_SELF, ruleset, 0)
