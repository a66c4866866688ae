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
from collections.abc import Iterable, Iterator
from enum import Enum

from agentevals.sandbox.launcher import syscalls
from agentevals.sandbox.launcher.kernel import PR_SET_SECCOMP, prctl

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_JUMP_IF_EQUAL, _JUMP_IF_NOT_BELOW, _JUMP_IF_ANY_BIT = 0x15, 0x35, 0x45
_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_X32 = 0x40000000
_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM = 1, 2, 10, 1
_ANY_PROTOCOL, _TCP = 0, 6
_FAST_OPEN = 0x20000000
# every CLONE_NEW… flag of clone(2): namespaces give back abilities that were taken away
_NEW_NAMESPACES = 0x7E020000

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}


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


def is_supported() -> bool:
    """Return whether we know this machine's system calls."""
    return sys.platform == "linux" and platform.machine() in _MACHINES and sys.maxsize > _KILL


def build_common_filter() -> Filter:
    """Build the filter for calls that neither the launcher nor any program needs."""
    answers = (
        (syscalls.REFUSED, errno.EPERM),
        (syscalls.UNKNOWN, errno.ENOSYS),
        (syscalls.UNSUPPORTED, errno.EOPNOTSUPP),
    )
    tests = ((syscalls.CLONE, _UNLESS_IN_NEW_NAMESPACES), (syscalls.PRLIMIT, _ONLY_ITSELF))
    return Filter(_compile(answers, tests))


class Reach(Enum):
    """The part of the network that a program reaches."""

    NOWHERE = "nowhere"
    ONE_PORT = "one port"
    ANYWHERE = "anywhere"


def build_filter(*, reach: Reach, same_user: bool) -> Filter:
    """Build the filter for one program, on top of the common one."""
    answers = [(syscalls.IGNORED, 0)]
    tests = [(syscalls.SOCKETPAIR, _ONLY_CONNECTED), *_TESTS_OF_SOCKETS[reach]]
    if reach is Reach.NOWHERE:
        answers.append((syscalls.REFUSED_OFFLINE, errno.EPERM))
    if reach is Reach.ONE_PORT:
        answers.append((syscalls.REFUSED_WITH_ONE_PORT, errno.EPERM))
    if same_user:
        answers += [
            (syscalls.REFUSED_AS_SAME_USER, errno.EPERM),
            (syscalls.IGNORED_AS_SAME_USER, 0),
        ]
    return Filter(_compile(answers, tests))


def _compile(
    answers: Iterable[tuple[syscalls.Numbers, int]],
    tests: Iterable[tuple[syscalls.Pair, list[bytes]]],
) -> Iterator[bytes]:
    machine, column = _MACHINES[platform.machine()]
    yield _step(_LOAD, _MACHINE_OFFSET)
    yield _step(_JUMP_IF_EQUAL, machine, when_true=1)
    yield _step(_RETURN, _KILL)
    yield _step(_LOAD, _NUMBER_OFFSET)
    yield _step(_JUMP_IF_NOT_BELOW, _X32, when_false=1)
    yield _step(_RETURN, _KILL)
    for calls, error in answers:
        yield from _match_any(
            _list_numbers(calls.values(), column), [_step(_RETURN, _ERRNO | error)]
        )
    for call, steps in tests:
        yield from _match_any(_list_numbers([call], column), steps)
    yield _ALLOWED


def _list_numbers(calls: Iterable[syscalls.Pair], column: int) -> list[int]:
    return [number for call in calls if (number := call[column]) is not None]


def _match_any(numbers: list[int], steps: list[bytes]) -> Iterator[bytes]:
    """The steps, for any of these system calls."""
    for position, number in enumerate(numbers):
        yield _step(_JUMP_IF_EQUAL, number, when_true=len(numbers) - position)
    yield _step(_JUMP, len(steps))
    yield from steps


def _require(argument: int, values: tuple[int, ...], mask: int = 0xFFFFFFFF) -> list[bytes]:
    """Steps that refuse the call unless one of its arguments has one of the values."""
    last = len(values)
    return [
        _step(_LOAD, _ARGUMENTS_OFFSET + 8 * argument),
        _step(_AND, mask),
        *(_step(_JUMP_IF_EQUAL, value, when_true=last - n) for n, value in enumerate(values)),
        _REFUSED,
    ]


def _step(code: int, value: int, *, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, when_true, when_false, value)


_ALLOWED = _step(_RETURN, _ALLOW)
_REFUSED = _step(_RETURN, _ERRNO | errno.EPERM)
_UNLESS_IN_NEW_NAMESPACES = [
    _step(_LOAD, _ARGUMENTS_OFFSET),
    _step(_JUMP_IF_ANY_BIT, _NEW_NAMESPACES, when_false=1),
    _REFUSED,
    _ALLOWED,
]
_ONLY_ITSELF = [*_require(0, (0,)), _ALLOWED]
# no datagrams: such a socket could be pointed at any path afterwards
_ONLY_CONNECTED = [*_require(0, (_AF_UNIX,)), *_require(1, (_SOCK_STREAM,), mask=0xFF), _ALLOWED]
# never AF_UNIX: that is where the Docker daemon listens
_ONLY_INTERNET = [*_require(0, (_AF_INET, _AF_INET6)), _ALLOWED]
_ONLY_TCP = [
    *_require(0, (_AF_INET,)),
    *_require(1, (_SOCK_STREAM,), mask=0xFF),
    *_require(2, (_ANY_PROTOCOL, _TCP)),
    _ALLOWED,
]


def _refuse_fast_open(flags: int) -> list[bytes]:
    """Steps against connecting while sending, which Landlock does not see."""
    return [*_require(flags, (0,), mask=_FAST_OPEN), _ALLOWED]


_TESTS_OF_SOCKETS: dict[Reach, list[tuple[syscalls.Pair, list[bytes]]]] = {
    Reach.NOWHERE: [],
    Reach.ONE_PORT: [
        (syscalls.SOCKET, _ONLY_TCP),
        (syscalls.SENDTO, _refuse_fast_open(3)),
        (syscalls.SENDMSG, _refuse_fast_open(2)),
        (syscalls.SENDMMSG, _refuse_fast_open(3)),
    ],
    Reach.ANYWHERE: [(syscalls.SOCKET, _ONLY_INTERNET)],
}
