"""The kernel's view of a process: its calls, its rights on files (Landlock), its user.

Landlock limits are irrevocable. Rights that a kernel does not know yet must not be asked for: they
depend on the version (ABI) that it offers. https://docs.kernel.org/userspace-api/landlock.html
A third-party program has a user of its own when we are root, else ours with less.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47


# numbers and addresses alike
_libc.syscall.argtypes = (ctypes.c_long, *(ctypes.c_void_p,) * 4)
_libc.syscall.restype = ctypes.c_long
_VERSION_AND_SELF = (ctypes.c_uint32 * 2)(0x20080522, 0)
# effective, permitted and inheritable, of the first 32 capabilities and of the rest
_capabilities = (ctypes.c_uint32 * 6)()

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_OF_A_PATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ABI_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_BIND_AND_CONNECT_TCP = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

KNOWS_TCP, KNOWS_SIGNALS = 4, 6

# A rule holds its path open, so that it outlives the right to open it.
Rule = tuple[int, bytes]

# One user per program that runs at a time, so that limits on processes count for one program and
# no program can signal another. These are reserved for no system user, service or distribution:
USERS = 14
_EVERY_USER = ["0", "0", "4294967295"]  # the map of a machine, or of a container without its own
_FEW = 65520  # the last of those that every container has
_MANY = 0x70000000  # above what is given to containers; each launcher has a block of its own

_CHOWN, _READ_SEARCH, _KILL, _SETGID, _SETUID = (1 << bit for bit in (0, 2, 5, 6, 7))
_AMBIENT_RAISE = 2


def prctl(option: int, *arguments: int) -> None:
    """Change a property of this process, or raise OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    check(_libc.prctl(option, *(ctypes.c_ulong(value) for value in padded)))


def syscall(number: int, *arguments: int | bytes) -> int:
    """Make a system call by its number, or raise OSError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return check(_libc.syscall(number, *padded))


def set_capabilities(kept: int) -> None:
    """Give up every capability that is not in the mask `kept` (of the first 32)."""
    _capabilities[0:3] = [kept, kept, kept]
    check(_libc.capset(_VERSION_AND_SELF, _capabilities))


def check(result: int) -> int:
    """Return the result of a call, or raise the kernel's error as OSError."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


class Access(Enum):
    """The access that a rule allows below its path."""

    LIST = _READ_DIR
    READ = _EXECUTE | _READ_FILE | _READ_DIR
    WRITE = -1


def find_landlock_version() -> int:
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
        size = 24 if version >= KNOWS_SIGNALS else 8
        self._attributes = struct.pack("QQQ", self._rights, 0, scoped)[:size]
        self._knows_tcp = version >= KNOWS_TCP

    def make_rules(self, paths: Iterable[str], access: Access) -> Iterator[Rule]:
        """For those paths that exist."""
        return filter(None, (self._make_rule(path, access) for path in paths))

    def make_ruleset(self) -> int:
        """A file descriptor of rules, to be enforced when nothing else is to be opened."""
        return _make_ruleset(self._attributes)

    def enforce_offline(self) -> None:
        """Bind this process, and all that it will start, to have no TCP, where rules know it."""
        if not self._knows_tcp:
            return
        # rules that do not speak of it refuse to move a file to another folder
        ruleset = _make_ruleset(struct.pack("QQ", _REFER, _BIND_AND_CONNECT_TCP))
        opened = os.open("/", os.O_PATH | os.O_CLOEXEC)
        add_rules(ruleset, [(opened, struct.pack("=Qi", _REFER, opened))])
        enforce_rules(ruleset)

    def _make_rule(self, path: str, access: Access) -> Rule | None:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return None
        granted = self._rights & access.value
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            granted &= _OF_FILES
        return opened, struct.pack("=Qi", granted, opened)


def add_rules(ruleset: int, rules: Iterable[Rule]) -> None:
    """Add rules to a file descriptor of them, and close the rules."""
    for opened, rule in rules:
        syscall(_ADD_RULE, ruleset, _RULE_OF_A_PATH, rule, 0)
        os.close(opened)  # a folder may have more entries than we may have open files


def enforce_rules(ruleset: int) -> None:
    """Bind this process, and all that it will start, to the rules. Needs no_new_privs."""
    syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _make_ruleset(attributes: bytes) -> int:
    return syscall(_CREATE_RULESET, attributes, len(attributes), 0)


def find_first_user() -> int:
    """The first of this launcher's users: nobody else's, where there are enough of them."""
    try:
        mapped = Path("/proc/self/uid_map").read_text(encoding="ascii").split()
    except OSError:
        return _FEW
    # a shared user is the one behind the block
    return _MANY + os.getpid() * (USERS + 1) if mapped == _EVERY_USER else _FEW


def can_switch_user() -> bool:
    """Return whether this process may become another user, and clean up after it."""
    needed = _CHOWN | _KILL | _SETGID | _SETUID
    return os.geteuid() == 0 and _read_capabilities() & needed == needed


def can_search() -> bool:
    """Return whether this process could pass on the right to read files closed to others."""
    return bool(_read_capabilities() & _READ_SEARCH)


def become_user(user: int, *, search: bool) -> None:
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


def set_file_user(user: int) -> None:
    """Open files with the rights of another user, if we are root; 0 ends it."""
    if os.geteuid() == 0:
        _libc.setfsgid(ctypes.c_uint(user))
        _libc.setfsuid(ctypes.c_uint(user))


def give_up_capabilities(*, kept: int = 0) -> None:
    """Lose every capability, so that even root is only the owner of root's files."""
    set_capabilities(kept)
    if kept:
        prctl(PR_CAP_AMBIENT, _AMBIENT_RAISE, kept.bit_length() - 1)


def is_open_to_others(paths: Iterable[str]) -> bool:
    """Return whether a user without any right can read all of these paths that exist."""
    named = {path for path in paths if os.path.lexists(path)}
    places = named | {os.path.realpath(path) for path in named}
    above = {folder for place in places for folder in list_parents(place)}
    return all(_allows(folder, stat.S_IXOTH) for folder in above) and all(
        _allows(place, stat.S_IROTH) for place in places
    )


def list_parents(path: str) -> Iterator[str]:
    """Yield the folders that a path lies in, up to the root."""
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
