"""Processes that a test has started, and what they have started in turn."""

import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 60.0
# an evaluator that never answers, with a program that it has started itself
STUCK = """\
import os, time
try:
    is_parent = os.fork()
except PermissionError:  # it is not granted to start others
    is_parent = 0
is_parent or os.execvp("sleep", ["sleep", "600"])
time.sleep(600)
"""
# what GitHub's runner sends a step that is cancelled, and how long it waits after that
OF_GITHUB = ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5), (signal.SIGKILL, PATIENCE))


@contextmanager
def ending_with_us(process):
    """The process, which is gone with all its descendants at the end, whatever happens."""
    try:
        yield process
    finally:
        left = descendants(process.pid)
        process.kill()
        process.communicate()
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def stuck(process, programs=1):
    """The process ids of all that a process has started, once so many `STUCK` are among them."""
    wait_until(lambda: sum(map(_sleeps, descendants(process.pid))) >= programs)
    return descendants(process.pid)


def _sleeps(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes() == b"sleep\x00600\x00"
    return False


def descendants(pid):
    """The process ids of its children, their children, and so on."""
    below = children(pid)
    return below + [further for child in below for further in descendants(child)]


def children(pid):
    found = []
    with suppress(OSError):  # it may end meanwhile
        for listed in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, listed.read_text().split())
    return found


def alive(pids):
    """Those that have not ended, be it that nobody has asked for their exit code yet."""
    return [pid for pid in pids if _state(pid) not in {"", "Z", "X"}]


def _state(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    return ""


def wait_until(reached):
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, f"waited {PATIENCE:g} s in vain"
        time.sleep(0.01)


def cancel(process, signals=OF_GITHUB):
    """Send signals until it has ended: its exit code tells which of them did it."""
    for number, seconds in signals:
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
    raise AssertionError
