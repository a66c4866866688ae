"""Limits on the system calls of a process: a filter that the kernel runs before each one.

The filter is a small program for the kernel's classic BPF machine. It only sees numbers, never
what an address points to; calls that hide their arguments behind one are refused as a whole.
https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from agentevals.sandbox.launcher.kernel import PR_SET_DUMPABLE, PR_SET_SECCOMP, prctl, syscall
from agentevals.sandbox.launcher.system_calls import ALLOWED, Numbers, Pair

# Only a socket that has no peer yet needs these.
REFUSED_WITH_HOSTS: Numbers = {
    "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
}  # fmt: skip
# Accepted and not done: every socket is connected already, to our proxy.
CONNECTED: Numbers = {"connect": (42, 203)}
REFUSED_OFFLINE: Numbers = REFUSED_WITH_HOSTS | CONNECTED | {"socket": (41, 198)}
# How a process starts another one; `clone` as well, unless it starts a thread.
REFUSED_ALONE: Numbers = {"fork": (57, None), "vfork": (58, None)}
# Landlock does not cover these, so they would reach files of the user whose identity we share.
REFUSED_AS_SAME_USER: Numbers = {
    "truncate": (76, 45), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None),
    "fchownat": (260, 54),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "setpriority": (141, 140),
}  # fmt: skip
# Accepted and not done, because programs that copy files insist on it.
IGNORED_AS_SAME_USER: Numbers = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
# Accepted and not done: a process that leaves its group would survive the end of the group.
IGNORED: Numbers = {"setsid": (112, 157), "setpgid": (109, 154)}
# The flags lie behind an address; libraries fall back to `clone`, whose flags do not.
UNKNOWN: Numbers = {"clone3": (435, 435)}

# The first takes the whole disk before anybody looks; libraries write zeros instead. Landlock does
# not cover attributes, so the others would reach files elsewhere; programs that copy files go on.
UNSUPPORTED: Numbers = {
    "fallocate": (285, 47),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "getxattr": (191, 8), "lgetxattr": (192, 9), "getxattrat": (464, 464),
    "listxattr": (194, 11), "llistxattr": (195, 12), "listxattrat": (465, 465),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
}  # fmt: skip
# Allowed with certain arguments.
MMAP: Pair = (9, 222)
PRCTL: Pair = (157, 167)
SOCKET: Pair = (41, 198)
SOCKETPAIR: Pair = (53, 199)
SENDTO: Pair = (44, 206)
SENDMSG: Pair = (46, 211)
SENDMMSG: Pair = (307, 269)
CLONE: Pair = (56, 220)
FCNTL: Pair = (72, 25)
PRLIMIT: Pair = (302, 261)

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_JUMP_IF_EQUAL, _JUMP_IF_NOT_BELOW, _JUMP_IF_ANY_BIT = 0x15, 0x35, 0x45
_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_KILL, _ERRNO, _ASK, _ALLOW = 0x80000000, 0x00050000, 0x7FC00000, 0x7FFF0000
_FILTER_BY_FLAGS, _WITH_LISTENER = 1, 8
_X32 = 0x40000000
_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM = 1, 2, 10, 1
_ANY_PROTOCOL, _TCP = 0, 6
_FAST_OPEN = 0x20000000
_MAP_PRIVATE, _MAP_DROPPABLE, _MAP_TYPE, _MAP_ANONYMOUS = 0x02, 0x08, 0x0F, 0x20
_FARTHEST = 250  # steps of a conditional jump
# every CLONE_NEW… flag of clone(2): namespaces give back abilities that were taken away
_NEW_NAMESPACES = 0x7E020000
_NEW_THREAD = 0x00010000
_SET_LEASE, _NOTIFY = 1024, 1026

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_SECCOMP: Pair = (317, 277)


class Filter:
    """A compiled filter. A process may be bound to several; the strictest answer counts."""

    def __init__(self, code: Iterable[bytes]) -> None:
        steps = b"".join(code)
        self._code = ctypes.create_string_buffer(steps, len(steps))
        address = ctypes.addressof(self._code)
        self._program = ctypes.create_string_buffer(struct.pack("@HP", len(steps) // 8, address))

    def enforce(self) -> None:
        """Bind this process, and all that it will start, to the filter. Needs no_new_privs."""
        prctl(PR_SET_SECCOMP, 2, ctypes.addressof(self._program))

    def enforce_with_listener(self) -> int:
        """Bind it, and return the file by which another process answers what is to be asked.

        Without such a process every call that would be asked about fails.
        """
        number = _SECCOMP[_MACHINES[platform.machine()][1]] or 0
        address = ctypes.addressof(self._program)
        return syscall(number, _FILTER_BY_FLAGS, _WITH_LISTENER, address)


def is_supported() -> bool:
    """Return whether we know this machine's system calls."""
    return sys.platform == "linux" and platform.machine() in _MACHINES and sys.maxsize > _KILL


def build_common_filter() -> Filter:
    """Build the filter for calls that neither the launcher nor any program needs."""
    answers = ((UNKNOWN, errno.ENOSYS), (UNSUPPORTED, errno.EOPNOTSUPP))
    tests = ((CLONE, _UNLESS_IN_NEW_NAMESPACES), (PRLIMIT, _ONLY_ITSELF))
    return Filter(_compile(answers, tests))


class Reach(Enum):
    """The part of the network that a program reaches."""

    NOWHERE = "nowhere"
    HOSTS = "hosts"
    ANYWHERE = "anywhere"


def build_filter(*, reach: Reach, same_user: bool) -> Filter:
    """Build the filter for one program, on top of the common one.

    A call that is not allowed does not exist. Shared memory without a file would count for no
    process, and a process that cannot be looked into would hide how much it has.
    """
    answers = [(IGNORED, 0), (UNSUPPORTED, errno.EOPNOTSUPP)]
    tests = [
        *((SOCKETPAIR, _ONLY_CONNECTED), (MMAP, _NOT_SHARED), (PRCTL, _NOT_HIDDEN)),
        (FCNTL, _NOT_WATCHING),
        *_TESTS_OF_SOCKETS[reach],
    ]
    if reach is Reach.NOWHERE:
        answers.append((REFUSED_OFFLINE, errno.EPERM))
    if reach is Reach.HOSTS:
        answers += [(REFUSED_WITH_HOSTS, errno.EPERM), (CONNECTED, 0)]
    if same_user:
        answers += [(REFUSED_AS_SAME_USER, errno.EPERM), (IGNORED_AS_SAME_USER, 0)]
    return Filter(_compile(answers, tests, ALLOWED))


def build_filter_alone() -> Filter:
    """Build the filter for a program that starts no others: its threads are all that it has."""
    return Filter(_compile([(REFUSED_ALONE, errno.EPERM)], [(CLONE, _ONLY_THREADS)]))


def _compile(
    answers: Iterable[tuple[Numbers, int]],
    tests: Iterable[tuple[Pair, list[bytes]]],
    allowed: Numbers | None = None,
) -> Iterator[bytes]:
    machine, column = _MACHINES[platform.machine()]
    yield _build_step(_LOAD, _MACHINE_OFFSET)
    yield _build_step(_JUMP_IF_EQUAL, machine, when_true=1)
    yield _build_step(_RETURN, _KILL)
    yield _build_step(_LOAD, _NUMBER_OFFSET)
    yield _build_step(_JUMP_IF_NOT_BELOW, _X32, when_false=1)
    yield _build_step(_RETURN, _KILL)
    for calls, error in answers:
        yield from _match_any(
            _list_numbers(calls.values(), column), [_build_step(_RETURN, _ERRNO | error)]
        )
    for call, steps in tests:
        yield from _match_any(_list_numbers([call], column), steps)
    numbers = _list_numbers((allowed or {}).values(), column)
    for start in range(0, len(numbers), _FARTHEST):
        yield from _match_any(numbers[start : start + _FARTHEST], [_ALLOWED])
    yield _ALLOWED if allowed is None else _UNKNOWN


def _list_numbers(calls: Iterable[Pair], column: int) -> list[int]:
    return [number for call in calls if (number := call[column]) is not None]


def _match_any(numbers: Sequence[int], steps: list[bytes]) -> Iterator[bytes]:
    """The steps, for any of these system calls."""
    for position, number in enumerate(numbers):
        yield _build_step(_JUMP_IF_EQUAL, number, when_true=len(numbers) - position)
    yield _build_step(_JUMP, len(steps))
    yield from steps


def _require(argument: int, values: tuple[int, ...], mask: int = 0xFFFFFFFF) -> list[bytes]:
    """Steps that refuse the call unless one of its arguments has one of the values."""
    last = len(values)
    return [
        _build_step(_LOAD, _ARGUMENTS_OFFSET + 8 * argument),
        _build_step(_AND, mask),
        *(_build_step(_JUMP_IF_EQUAL, value, when_true=last - n) for n, value in enumerate(values)),
        _REFUSED,
    ]


def _build_step(code: int, value: int, *, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, when_true, when_false, value)


_ALLOWED = _build_step(_RETURN, _ALLOW)
_REFUSED = _build_step(_RETURN, _ERRNO | errno.EPERM)
_UNKNOWN = _build_step(_RETURN, _ERRNO | errno.ENOSYS)
_UNLESS_IN_NEW_NAMESPACES = [
    _build_step(_LOAD, _ARGUMENTS_OFFSET),
    _build_step(_JUMP_IF_ANY_BIT, _NEW_NAMESPACES, when_false=1),
    _REFUSED,
    _ALLOWED,
]
_ONLY_ITSELF = [*_require(0, (0,)), _ALLOWED]
_NOT_SHARED = [
    _build_step(_LOAD, _ARGUMENTS_OFFSET + 8 * 3),
    _build_step(_JUMP_IF_ANY_BIT, _MAP_ANONYMOUS, when_true=1),
    _ALLOWED,
    *_require(3, (_MAP_PRIVATE, _MAP_DROPPABLE), mask=_MAP_TYPE),
    _ALLOWED,
]
_NOT_HIDDEN = [
    _build_step(_LOAD, _ARGUMENTS_OFFSET),
    _build_step(_JUMP_IF_EQUAL, PR_SET_DUMPABLE, when_true=1),
    _ALLOWED,
    *_require(1, (1,)),
    _ALLOWED,
]
# who holds a lease on a file has everybody else wait for it, and is told who opens it
_NOT_WATCHING = [
    _build_step(_LOAD, _ARGUMENTS_OFFSET + 8),
    _build_step(_JUMP_IF_EQUAL, _SET_LEASE, when_true=2),
    _build_step(_JUMP_IF_EQUAL, _NOTIFY, when_true=1),
    _ALLOWED,
    _REFUSED,
]
# no datagrams: such a socket could be pointed at any path afterwards
_ONLY_CONNECTED = [*_require(0, (_AF_UNIX,)), *_require(1, (_SOCK_STREAM,), mask=0xFF), _ALLOWED]
# never AF_UNIX: that is where the Docker daemon listens
_ONLY_INTERNET = [*_require(0, (_AF_INET, _AF_INET6)), _ALLOWED]
# made by whoever answers, who reads no memory of the program: what it connects to matters nothing
_ASK_FOR_TCP = [
    *_require(0, (_AF_INET,)),
    *_require(1, (_SOCK_STREAM,), mask=0xFF),
    *_require(2, (_ANY_PROTOCOL, _TCP)),
    _build_step(_RETURN, _ASK),
]
_ONLY_THREADS = [
    _build_step(_LOAD, _ARGUMENTS_OFFSET),
    _build_step(_JUMP_IF_ANY_BIT, _NEW_THREAD, when_true=1),
    _REFUSED,
    _ALLOWED,
]


def _refuse_fast_open(flags: int) -> list[bytes]:
    """Steps against connecting while sending."""
    return [*_require(flags, (0,), mask=_FAST_OPEN), _ALLOWED]


_TESTS_OF_SOCKETS: dict[Reach, list[tuple[Pair, list[bytes]]]] = {
    Reach.NOWHERE: [],
    Reach.HOSTS: [
        (SOCKET, _ASK_FOR_TCP),
        (SENDTO, _refuse_fast_open(3)),
        (SENDMSG, _refuse_fast_open(2)),
        (SENDMMSG, _refuse_fast_open(3)),
    ],
    Reach.ANYWHERE: [(SOCKET, _ONLY_INTERNET)],
}
