"""Recording: a command runs, and what it sends over OpenTelemetry becomes trace files."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from agentevals.files.agent_files import AgentFiles
from agentevals.text.redaction import Redactor
from agentevals.traces.recorder.inspection import Inspection, inspect
from agentevals.traces.recorder.limits import Limits, Watch
from agentevals.traces.recorder.processes import Family
from agentevals.traces.recorder.provenance import find_provenance
from agentevals.traces.recorder.receiver import Receiver
from agentevals.traces.recorder.settings import build_environment
from agentevals.traces.recorder.storage import Counts, Storage

LIMIT_PASSED = 124  # the exit code that `timeout` has as well
_UNLIMITED = Limits()
_KILLED = 128  # what a shell adds to the number of the signal that ended a command
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


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
