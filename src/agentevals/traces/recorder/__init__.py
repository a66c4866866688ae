"""Recording: a command runs, and what it sends over OpenTelemetry becomes trace files.

Without a terminal the command and its children are a process group of their own. At a terminal they
stay in the group of the shell's job, so that they may read from it, and the children of each
process are looked up.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from agentevals.files.agent_files import AgentFiles
from agentevals.model.errors import InputError
from agentevals.text.redaction import Redactor
from agentevals.traces.recorder.otlp_receiver import Receiver
from agentevals.traces.recorder.recording_inspection import Inspection, inspect
from agentevals.traces.recorder.recording_limits import Limits, Watch
from agentevals.traces.recorder.recording_provenance import find_provenance
from agentevals.traces.recorder.recording_settings import build_environment
from agentevals.traces.recorder.recording_storage import Counts, Storage

LIMIT_PASSED = 124  # the exit code that `timeout` has as well
_UNLIMITED = Limits()
_KILLED = 128  # what a shell adds to the number of the signal that ended a command
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
# as GitHub cancels a step: with time to send what was recorded
ENDING = ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5))
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # which kills on Windows
_PAUSE = 0.05  # seconds between two looks at who is still there
_TERMINAL = "/dev/tty"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The result of a recorded command, which may have `passed` a limit.

    Of several attempts, the exit code is the first not 0.
    """

    exit_code: int
    files: tuple[Path, ...]
    counts: Counts
    endpoint: str
    found: Inspection
    passed: str = ""  # which limit, in a sentence
    uncounted: str = ""


def record(  # noqa: PLR0913 -- what runs, and what is written of it
    words: Sequence[str],
    target: Path,
    environment: Mapping[str, str],
    redact: Redactor | None = None,
    agents: Sequence[AgentFiles] = (),
    *,
    repeat: int = 1,
    limits: Limits = _UNLIMITED,
) -> Recorded:
    """Run a command until it ends, as often as it is to `repeat`, or all together pass a limit. Its
    traces lie in `target` afterwards, one file for each; a target that ends in `.jsonl` is one file
    for all of them. No file holds what is redacted. Each says in which attempt it was made, and of
    which of the `agents` it is, as their files were before the command.
    """
    codes, passed = list[int](), ""
    with Storage(target) as storage:
        watch = Watch(limits, storage)
        for attempt in range(1, repeat + 1):
            number = attempt if repeat > 1 else 0
            storage.begin_attempt(find_provenance(words, agents, redact, number))
            # a span that arrives late finds no receiver: it must not count for the next attempt
            with Receiver(storage, redact) as receiver:
                prompt = limits.tokens is not None
                told = build_environment(environment, receiver.endpoint, prompt=prompt)
                codes.append(run_command(words, told, watch))
            passed = watch.passed or watch.check_tokens()
            if passed or codes[-1] > _KILLED:
                break
        files = storage.finish()
        return Recorded(
            exit_code=LIMIT_PASSED if passed else next(filter(None, codes), 0),
            files=files,
            counts=storage.counts,
            endpoint=receiver.endpoint,
            found=inspect(files, environment, told),
            passed=passed,
            uncounted=watch.explain_uncounted(),
        )


def run_command(words: Sequence[str], told: Mapping[str, str], watch: Watch) -> int:
    """Run a command to its end, or to a limit. Return its exit code as a shell would say it."""
    family = Family(words, told)
    with _forward_signals(family):
        code: int | None = None
        while code is None:
            try:
                code = family.process.wait(watch.pause)
            except subprocess.TimeoutExpired:
                if watch.look():
                    family.end()
    return _KILLED - code if code < 0 else code


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


@contextmanager
def _forward_signals(family: Family) -> Iterator[None]:
    def forward(number: int, _frame: FrameType | None) -> None:
        family.send(number)

    def interrupt(number: int, _frame: FrameType | None) -> None:
        # a terminal interrupts the command as well as us; nobody else does
        if family.is_group or not sys.stdin.isatty():
            family.send(number)

    known = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)]
    before = {number: signal.signal(number, forward) for number in known}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
