"""Control groups, on a real hierarchy where this machine has one, and by their files elsewhere."""

import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.launcher import control_groups
from agentevals.sandbox.launcher.control_groups import MEASURED, Groups
from agentevals.sandbox.launcher_client import get_launcher
from tests.sandbox.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has control groups")

HOARDING = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = b"x" * (90 << 20)
        time.sleep(30)
time.sleep(30)
"""
# bytes that wait in sockets are memory of no process
HIDING = """
import os, signal, socket, time
for _ in range(6):
    if os.fork() == 0:
        held = []
        for _ in range(110):
            held.append(socket.socketpair())
            for one in held[-1]:
                one.setblocking(False)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
                try:
                    while True: one.send(b"x" * 65536)
                except BlockingIOError: pass
        signal.pause()
time.sleep(30)
"""


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Groups]:
    found = Groups.find(str(tmp_path))
    if found is None:
        pytest.skip("no hierarchy of control groups is open to us here")
    yield found
    found.close()
    assert not found.folder.exists()


def test_the_kernel_ends_who_takes_more_than_the_group_may_have(real: Groups) -> None:
    group = real.make("one", 16, 16)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(read, 1)
        held = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for start in range(0, len(held), mmap.PAGESIZE):
            held[start] = 1
        os._exit(0)
    group.add(child)
    assert not group.was_short()

    os.write(write, b"x")
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == -9
    assert group.was_short()
    group.remove()
    assert not group.folder.exists()


def test_a_group_is_used_again_unless_somebody_was_ended_in_it(real: Groups) -> None:
    group = real.make("one", 64, 16)
    real.take_back(group)
    again = real.make("two", 32, 16)

    assert again is group
    limit = "memory.max" if real.version > 1 else "memory.limit_in_bytes"
    assert int((group.folder / limit).read_text()) == (32 + real.spare_mb) << 20

    group.was_short = lambda: True  # type: ignore[method-assign]
    real.take_back(group)
    assert real.free == []
    assert not group.folder.exists()


def test_limits_of_a_group_become_larger_and_smaller(real: Groups) -> None:
    group = real.make("one", 1024, 128)
    limit = "memory.max" if real.version > 1 else "memory.limit_in_bytes"

    for memory_mb in (4096, 64, 512):
        group.limit(memory_mb, 128)
        assert int((group.folder / limit).read_text()) == (memory_mb + real.spare_mb) << 20
    group.remove()


def test_what_a_launcher_that_was_killed_has_left_is_removed(real: Groups, tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = real.folder.with_name(f"agentevals-{ended.pid}")
    (left / "7").mkdir(parents=True)
    kept = real.folder.with_name(f"agentevals-{os.getppid()}")
    kept.mkdir(exist_ok=True)

    real.close()
    again = Groups.find(str(tmp_path))

    assert again == real
    assert not left.exists()
    kept.rmdir()


@pytest.mark.parametrize("memory_mb", [4096, 64, 1024])
def test_a_program_may_have_other_limits_than_the_one_before(either: Run, memory_mb: int) -> None:
    assert either("print(1)", memory_mb=memory_mb).stdout == b"1\n"


@pytest.mark.parametrize("text", [HOARDING, HIDING], ids=["processes", "sockets"])
def test_a_program_is_ended_for_memory_wherever_it_is(either: Run, text: str) -> None:
    if get_launcher().limits == MEASURED:
        pytest.skip("memory is only measured here")

    with pytest.raises(EvaluatorError, match="took more than 120 MiB of memory, with all that"):
        either(text, memory_mb=120)


def test_where_the_kernel_counts_nothing_there_are_no_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = fake(tmp_path, monkeypatch, "cgroup2 cgroup2 rw,nsdelegate", "0::/user/own")

    assert Groups.find(str(tmp_path)) is None
    assert [path for path in place.iterdir() if path.name.startswith("agentevals")] == [
        place / f"agentevals-{os.getpid()}"
    ]  # whose plain files a real hierarchy would not have


def test_in_version_2_a_group_has_limits_of_memory_swap_and_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, monkeypatch, "cgroup2 cgroup2 rw,nsdelegate", "0::/user/own")
    (place,) = (place for version, place in control_groups._list_places() if version == 2)
    made = Groups(place / "ours", 2, spare_mb=256)
    made.folder.mkdir()

    group = made.make("1", 1024, 128)
    group.add(7)

    written = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert written == {
        "memory.max": str(1280 << 20),
        "memory.oom.group": "1",
        "memory.swap.max": "0",
        "pids.max": "128",
        "cgroup.procs": "7",
    }
    assert not group.was_short()
    (group.folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert group.was_short()


def test_groups_of_version_2_lie_beside_ours_and_those_of_version_1_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = fake(tmp_path, monkeypatch, "cgroup2 cgroup2 rw", "0::/user/own")
    assert [*control_groups._list_places()] == [(2, two)]

    one = fake(tmp_path, monkeypatch, "cgroup cgroup rw,memory", "4:memory:/user/own\n0::/x")
    assert [*control_groups._list_places()] == [(1, one / "own")]

    fake(tmp_path, monkeypatch, "cgroup cgroup rw,pids", "8:pids:/user/own")
    assert [*control_groups._list_places()] == []


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, mount: str, member: str) -> Path:
    """Have this process be in a group of a hierarchy that is a plain folder."""
    (folder / "tree" / "user" / "own").mkdir(parents=True, exist_ok=True)
    (folder / "mounts").write_text(f"30 25 0:26 / {folder}/tree rw,nosuid shared:4 - {mount}\n")
    (folder / "member").write_text(f"{member}\n")
    monkeypatch.setattr(control_groups, "_MOUNTED", folder / "mounts")
    monkeypatch.setattr(control_groups, "_MEMBER", folder / "member")
    return folder / "tree" / "user"
