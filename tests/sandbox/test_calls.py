"""A program has the system calls that programs are written with, and no others."""

import errno
import os
import re
from pathlib import Path

import pytest

from agentevals.sandbox.isolation import describe
from agentevals.sandbox.launcher import seccomp
from agentevals.sandbox.launcher.calls import ALLOWED
from tests.sandbox.conftest import Run

pytestmark = pytest.mark.skipif("seccomp" not in describe(), reason="this kernel has no filter")

HEADERS = {
    0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    1: Path("/usr/include/asm-generic/unistd.h"),
}
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


@pytest.mark.parametrize("column", HEADERS)
def test_every_number_is_the_one_of_its_name(column: int) -> None:
    if not HEADERS[column].exists():
        pytest.skip("this machine has no headers")
    text = HEADERS[column].read_text()
    named = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    for name, pair in (ALLOWED | seccomp.UNSUPPORTED | seccomp.IGNORED).items():
        number = named.get(name, named.get(OTHERWISE.get(name, "")))
        if number is not None:  # the headers may be older than the call
            assert pair[column] == number, name


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
