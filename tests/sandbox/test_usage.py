"""Memory and disk are limited for a program together with all that it starts."""

import sys
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.isolation import describe, run_program
from agentevals.sandbox.program_runtimes import find_node
from tests.sandbox.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of processes")

TOUCH = """
def take(size):
    taken = bytearray(size << 20)
    taken[::4096] = bytes(len(taken[::4096]))
    return taken
"""
MANY = f"""
import os, time
{TOUCH}
for _ in range(8):
    if os.fork() == 0:
        held = take(100)
        time.sleep(30)
time.sleep(30)
"""
SHARED = f"""
import os, time
{TOUCH}
held = take(150)
for _ in range(5):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
for _ in range(5):
    os.wait()
print("done")
"""
DELETED = """
import tempfile, time
held = []
for _ in range(6):
    held.append(tempfile.TemporaryFile())
    held[-1].write(b"x" * (50 << 20))
    held[-1].flush()
time.sleep(30)
"""
MAPPED = DELETED.replace(
    "    held[-1].flush()\n",
    "    held[-1].flush()\n    file = held.pop()\n"
    "    held.append(mmap.mmap(file.fileno(), 0))\n    file.close()\n",
).replace("import tempfile", "import mmap, tempfile")
HOARDER = "const held = []; while (true) held.push(Buffer.alloc(64 << 20, 1));"


def test_the_memory_of_all_its_processes_counts(either: Run) -> None:
    with pytest.raises(EvaluatorError, match=r"took more than 400 MiB of memory, with all that"):
        either(MANY, timeout=60, memory_mb=400)


def test_what_its_processes_share_counts_once(either: Run) -> None:
    assert either(SHARED, timeout=60, memory_mb=400).stdout == b"done\n"


@pytest.mark.parametrize("text", [DELETED, MAPPED])
def test_files_that_were_deleted_while_they_are_in_use_count(either: Run, text: str) -> None:
    with pytest.raises(EvaluatorError, match="left more than 256 MiB"):
        either(text, timeout=60)


def test_node_may_reserve_memory_and_not_take_it(tmp_path: Path) -> None:
    (tmp_path / "hoarder.js").write_text(HOARDER)

    with pytest.raises(EvaluatorError, match="took more than 300 MiB of memory"):
        run_program(
            [str(find_node()), str(tmp_path / "hoarder.js")],
            stdin=b"",
            timeout=60,
            folder=tmp_path,
            memory_mb=300,
        )


HIDING = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.prctl(4, 0, 0, 0, 0), ctypes.get_errno(), libc.prctl(4, 1, 0, 0, 0))
"""


@pytest.mark.skipif("seccomp" not in describe(), reason="nothing keeps it from hiding")
def test_a_program_cannot_hide_how_much_it_has(either: Run) -> None:
    assert either(HIDING).stdout == b"-1 1 0\n"


AREAS = """
import ctypes, os, time
libc = ctypes.CDLL(None)
for _ in range(3):
    if os.fork() == 0:
        file = os.open("x", os.O_CREAT | os.O_RDWR)
        for number in range(40_000):  # neighbours that differ stay apart
            libc.mmap(None, 4096, 1 + number % 2 * 2, 2, file, 0)
        time.sleep(60)
time.sleep(60)
"""


def test_nobody_has_more_memory_than_can_be_measured(evaluator: Run) -> None:
    with pytest.raises(EvaluatorError, match="areas of memory than can be measured"):
        evaluator(AREAS, timeout=60)
