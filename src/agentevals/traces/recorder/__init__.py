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
from agentevals.model.errors import InputError
from agentevals.text.redaction import Redactor
from agentevals.traces.recorder.inspection import Inspection, inspect
from agentevals.traces.recorder.provenance import find_provenance
from agentevals.traces.recorder.receiver import Receiver
from agentevals.traces.recorder.settings import build_environment
from agentevals.traces.recorder.storage import Counts, Storage

_KILLED = 128  # what a shell adds to the number of the signal that ended a command
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The result of a recorded command. Of several attempts, the exit code is the first not 0."""

    exit_code: int
    files: tuple[Path, ...]
    counts: Counts
    endpoint: str
    found: Inspection


def record(  # noqa: PLR0913 -- what runs, and what is written of it
    words: Sequence[str],
    target: Path,
    environment: Mapping[str, str],
    redact: Redactor | None = None,
    agents: Sequence[AgentFiles] = (),
    *,
    repeat: int = 1,
) -> Recorded:
    """Run a command until it ends, as often as it is to `repeat`. Its traces lie in `target`
    afterwards, one file for each; a target that ends in `.jsonl` is one file for all of them. No
    file holds what is redacted. Each says in which attempt it was made, and of which of the
    `agents` it is, as their files were before the command.
    """
    codes = []
    with Storage(target) as storage:
        for attempt in range(1, repeat + 1):
            number = attempt if repeat > 1 else 0
            storage.begin_attempt(find_provenance(words, agents, redact, number))
            # a span that arrives late finds no receiver: it must not count for the next attempt
            with Receiver(storage, redact) as receiver:
                told = build_environment(environment, receiver.endpoint)
                codes.append(run_command(words, told))
            if codes[-1] > _KILLED:
                break
        files = storage.finish()
        return Recorded(
            exit_code=next(filter(None, codes), 0),
            files=files,
            counts=storage.counts,
            endpoint=receiver.endpoint,
            found=inspect(files, environment, told),
        )


def run_command(words: Sequence[str], told: Mapping[str, str]) -> int:
    """Run a command, and return its exit code as a shell would say it."""
    try:
        process = subprocess.Popen(list(words), env=told)  # noqa: S603 -- the user's own command
    except FileNotFoundError:
        msg = f"{words[0]}: no such program; give the command after '--', as it is typed"
        raise InputError(msg) from None
    except OSError as error:
        msg = f"{words[0]}: cannot be run: {error.strerror}"
        raise InputError(msg) from None
    with _forward_signals(process):
        code = process.wait()
    return _KILLED - code if code < 0 else code


@contextmanager
def _forward_signals(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    def forward(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    def interrupt(number: int, _frame: FrameType | None) -> None:
        # a terminal interrupts the command as well as us; nobody else does
        if not sys.stdin.isatty():
            process.send_signal(number)

    known = [getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)]
    before = {number: signal.signal(number, forward) for number in known}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
