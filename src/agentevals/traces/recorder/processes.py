"""The recorded command and all processes that it has started: signals for them, and their end.

Without a terminal they are a process group of their own. At a terminal they stay in the group of
the shell's job, so that they may read from it, and the children of each process are looked up.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from agentevals.model.errors import InputError

# as GitHub cancels a step: with time to send what was recorded
ENDING = ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5))
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # which kills on Windows
_PAUSE = 0.05  # seconds between two looks at who is still there
_TERMINAL = "/dev/tty"


class Family:
    """A command that was started, with its children and theirs."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.is_group = os.name == "posix" and not _has_terminal()
        group = {"process_group": 0} if self.is_group else {}
        try:
            self.process = subprocess.Popen(list(words), env=environment, **group)  # type: ignore[call-overload]  # noqa: S603 -- the user's own command
        except FileNotFoundError:
            msg = f"{words[0]}: no such program; give the command after '--', as it is typed"
            raise InputError(msg) from None
        except OSError as error:
            msg = f"{words[0]}: cannot be run: {error.strerror}"
            raise InputError(msg) from None

    def send(self, number: int) -> None:
        """Send a signal to all of them."""
        for target in self._list_targets():
            _send(target, number)

    def end(self, steps: Sequence[tuple[int, float]] = ENDING) -> None:
        """End all of them: ask them with each signal and wait that many seconds, then kill them."""
        if os.name != "posix":
            _end_tree(self.process.pid)
            return
        targets = self._list_targets()
        for number, patience in (*steps, (_KILL, steps[-1][1])):
            for target in targets:
                _send(target, number)
            if self._wait(targets, patience):
                return

    def _list_targets(self) -> list[int]:
        """Return process ids, and a negative one for a whole group, as `kill` takes them."""
        return [-self.process.pid] if self.is_group else _list_family(self.process.pid)

    def _wait(self, targets: Sequence[int], patience: float) -> bool:
        """Return whether all of them have ended before so many seconds are over."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            self.process.poll()
            if not any(_send(target, 0) for target in targets):
                return True
            time.sleep(_PAUSE)
        return False


def _has_terminal() -> bool:
    """Return whether there is a terminal that the command may want to read from."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _send(target: int, number: int) -> bool:
    """Send a signal, and return whether there was somebody to send it to."""
    try:
        os.kill(target, number)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def _list_family(pid: int) -> list[int]:
    """Return a process and all below it, as far as nobody between them has ended."""
    below: dict[int, list[int]] = {}
    with suppress(OSError):
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid="],  # noqa: S607 -- wherever the system has it
            capture_output=True,
            text=True,
            check=False,
        )
        for line in listed.stdout.splitlines():
            child, parent = map(int, line.split())
            below.setdefault(parent, []).append(child)
    found = [pid]
    for known in found:
        found += below.get(known, ())
    return found


def _end_tree(pid: int) -> None:
    with suppress(OSError):
        command = ["taskkill", "/T", "/F", "/PID", str(pid)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 -- of the system
