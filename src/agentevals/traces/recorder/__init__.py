"""Recording: a command runs, and what it sends over OpenTelemetry becomes trace files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentevals.traces.recorder import command, content
from agentevals.traces.recorder.receiver import Receiver
from agentevals.traces.recorder.storage import Counts, Storage


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What a command left behind."""

    exit_code: int
    files: tuple[Path, ...]
    counts: Counts
    endpoint: str
    lacks_messages: bool


def record(words: Sequence[str], target: Path, environment: Mapping[str, str]) -> Recorded:
    """Run a command until it ends. Its traces lie in `target` afterwards, one file for each;
    a target that ends in `.jsonl` is one file for all of them.
    """
    with Storage(target) as storage:
        with Receiver(storage) as receiver:
            told = command.environment(environment, receiver.endpoint)
            exit_code = command.run(words, told)
        files = storage.finish()
        return Recorded(
            exit_code=exit_code,
            files=files,
            counts=storage.counts,
            endpoint=receiver.endpoint,
            lacks_messages=content.lacks_messages(files),
        )
