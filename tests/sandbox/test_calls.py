"""A program has the system calls that programs are written with, and no others."""

import errno
import os
import re
import struct
from pathlib import Path

import pytest

from agentevals.sandbox.isolation import describe
from agentevals.sandbox.launcher import seccomp
from agentevals.sandbox.launcher.system_calls import ALLOWED
from tests.sandbox.conftest import Run

pytestmark = pytest.mark.skipif("seccomp" not in describe(), reason="this kernel has no filter")

HEADERS = {
    0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    1: Path("/usr/include/asm-generic/unistd.h"),
}
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ONE_NUMBER = 424  # from here on a call has the same number on every machine
ALLOW, KILL = 0x7FFF0000, 0x80000000
UNKNOWN, REFUSED_CALL = 0x00050000 | errno.ENOSYS, 0x00050000 | errno.EPERM
# of the same number, under the name that one machine has for it
OTHERWISE = {"newfstatat": "fstatat", "fadvise64": "fadvise64"}
CALL = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
for number in map(int, sys.argv[1:]):
    ctypes.set_errno(0)
    libc.syscall(number, 0, 0, 0, 0, 0, 0)
    print(ctypes.get_errno())
"""
# as x86_64 numbers them
REFUSED = {
    "ptrace": 101,
    "process_vm_readv": 310,
    "pidfd_getfd": 438,
    "bpf": 321,
    "keyctl": 250,
    "userfaultfd": 323,
    "perf_event_open": 298,
    "io_uring_setup": 425,
    "mount": 165,
    "open_by_handle_at": 304,
    "unshare": 272,
    "setns": 308,
    "fsopen": 430,
    "chroot": 161,
    "inotify_init": 253,
    "inotify_add_watch": 254,
    "inotify_init1": 294,
    "fanotify_init": 300,
    "memfd_create": 319,
    "memfd_secret": 447,
    "shmget": 29,
    "mq_open": 240,
    "seccomp": 317,
    "file_setattr": 469,
    "landlock_create_ruleset": 444,
    "of tomorrow": 511,
}
SHARED = """
import mmap
private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
assert mmap.mmap(-1, 4096, flags=private)
for attempt in (
    lambda: mmap.mmap(-1, 4096),
    lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x4000),
    lambda: mmap.mmap(-1, 4096, flags=3 | mmap.MAP_ANONYMOUS),
    lambda: open("/dev/zero", "r+b"),
):
    try: attempt(); print("shared")
    except OSError: pass
"""
ATTRIBUTES = """
import os, shutil, sys, tempfile
for attempt in (
    lambda: os.setxattr(sys.argv[1], "user.x", b"1"), lambda: os.getxattr(sys.argv[1], "user.y"),
    lambda: os.listxattr(sys.argv[1]), lambda: os.removexattr(sys.argv[1], "user.y"),
):
    try: attempt(); print("reached")
    except OSError as error: assert error.errno == 95, error
shutil.copy2(__file__, tempfile.mkdtemp())
"""


def list_tables() -> dict[str, tuple[int | None, int | None]]:
    """Every call that a filter knows by name."""
    tables = (
        *(seccomp.REFUSED_OFFLINE, seccomp.REFUSED_ALONE, seccomp.REFUSED_AS_SAME_USER),
        *(seccomp.IGNORED_AS_SAME_USER, seccomp.IGNORED, seccomp.UNKNOWN, seccomp.UNSUPPORTED),
    )
    return {name: pair for table in (*tables, ALLOWED) for name, pair in table.items()}


@pytest.mark.parametrize("column", HEADERS)
def test_every_number_is_the_one_of_its_name(column: int) -> None:
    if not HEADERS[column].exists():
        pytest.skip("this machine has no headers")
    text = HEADERS[column].read_text()
    named = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    for name, pair in list_tables().items():
        number = named.get(name, named.get(OTHERWISE.get(name, "")))
        if number is not None:  # the headers may be older than the call
            assert pair[column] == number, name


def test_a_newer_call_has_one_number_on_every_machine() -> None:
    newer = {name: pair for name, pair in list_tables().items() if (pair[0] or 0) >= ONE_NUMBER}

    # this one is of processors of Intel
    assert {name for name, (one, two) in newer.items() if one != two} == {"map_shadow_stack"}


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("platform.machine", lambda: request.param)
    return str(request.param)


@pytest.mark.parametrize("reach", seccomp.Reach)
def test_the_filter_of_each_machine_allows_its_list_and_nothing_else(
    machine: str, reach: seccomp.Reach
) -> None:
    column = [*MACHINES].index(machine)
    code = read_steps(seccomp.build_filter(reach=reach, same_user=True))
    numbers = {pair[column] for pair in list_tables().values()} - {None}
    unlisted = {nr for nr in range(600) if decide(code, machine, nr) == UNKNOWN}

    assert unlisted == set(range(600)) - numbers | {seccomp.UNKNOWN["clone3"][column]}
    assert decide(code, machine, list_tables()["openat"][column]) == ALLOW
    assert decide(code, machine, list_tables()["truncate"][column]) == REFUSED_CALL
    socket = decide(code, machine, seccomp.SOCKET[column], 2, 1, 0)
    expected = {"NOWHERE": REFUSED_CALL, "HOSTS": 0x7FC00000, "ANYWHERE": ALLOW}[reach.name]
    assert socket == expected
    for family in (1, 16, 17, 38, 40):  # of this machine, of the kernel, and of virtual machines
        assert decide(code, machine, seccomp.SOCKET[column], family, 1, 0) == REFUSED_CALL


def test_calls_of_another_machine_end_the_program(machine: str) -> None:
    code = read_steps(seccomp.build_filter(reach=seccomp.Reach.ANYWHERE, same_user=False))
    others = {"i386": 0x40000003, "arm": 0x40000028, "riscv64": 0xC00000F3}

    for number in (0, 1, 63, 64):
        for other in {**MACHINES, **others}.keys() - {machine}:
            assert decide(code, other, number, machines={**MACHINES, **others}) == KILL
        assert decide(code, machine, number | 0x40000000) == KILL  # x32


def test_a_machine_whose_calls_we_do_not_know_has_no_filter_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for unknown in ("riscv64", "ppc64le", "s390x", "armv7l", "i686"):
        monkeypatch.setattr("platform.machine", lambda unknown=unknown: unknown)
        assert not seccomp.is_supported()
        with pytest.raises(KeyError):
            seccomp.build_filter(reach=seccomp.Reach.NOWHERE, same_user=True)


def read_steps(built: seccomp.Filter) -> list[tuple[int, int, int, int]]:
    return [*struct.iter_unpack("HBBI", bytes(built._code.raw))]


def decide(
    code: list[tuple[int, int, int, int]],
    machine: str,
    number: int | None,
    *arguments: int,
    machines: dict[str, int] = MACHINES,
) -> int:
    """Do what the kernel does with the steps of a filter, and return its answer to a call."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    call = struct.pack("<IIQ6Q", number or 0, machines[machine], 0, *padded)
    at = held = 0
    while True:
        step, when_true, when_false, value = code[at]
        at += 1
        match step:
            case 0x20:
                (held,) = struct.unpack_from("<I", call, value)
            case 0x54:
                held &= value
            case 0x05:
                at += value
            case 0x06:
                return value
            case 0x15 | 0x35 | 0x45:
                met = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[step]
                at += when_true if met else when_false


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_what_is_not_allowed_does_not_exist(either: Run) -> None:
    finished = either(CALL, b"", *map(str, REFUSED.values()))

    answers = dict(zip(REFUSED, finished.stdout.decode().split(), strict=True))
    assert set(answers.values()) == {str(errno.ENOSYS)}, answers


def test_no_memory_is_shared_without_a_file(either: Run) -> None:
    finished = either(SHARED)

    assert (finished.stdout, finished.stderr) == (b"", "")


def test_attributes_of_files_elsewhere_are_neither_read_nor_written(
    either: Run, tmp_path: Path
) -> None:
    victim = tmp_path.parent / "for-everybody"
    victim.touch()
    victim.chmod(0o666)

    finished = either(ATTRIBUTES, b"", str(victim))

    assert (finished.stdout, finished.stderr) == (b"", "")
