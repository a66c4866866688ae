"""Recording: a command runs, and what it sends over OpenTelemetry becomes trace files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentevals.model.conversations import Turn
from agentevals.traces import loaders
from agentevals.traces import turns as conversations
from agentevals.traces.recorder import command
from agentevals.traces.recorder.receiver import Receiver
from agentevals.traces.recorder.storage import Counts, Storage

_LOOKED_AT = 20  # files; the agent that sent one sent them all
_LARGEST = 16 * 2**20  # bytes of a file that is read only to give advice


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The result of a recorded command."""

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
            told = command.build_environment(environment, receiver.endpoint)
            exit_code = command.run(words, told)
        files = storage.finish()
        return Recorded(
            exit_code=exit_code,
            files=files,
            counts=storage.counts,
            endpoint=receiver.endpoint,
            lacks_messages=_lacks_messages(files),
        )


def _lacks_messages(files: Sequence[Path]) -> bool:
    """Return whether a model was called in these recordings, and no question or answer is there."""
    small = (file for file in files if file.stat().st_size <= _LARGEST)
    traces = loaders.load(list(islice(small, _LOOKED_AT))).traces
    turns = [turn for each in conversations.converse(traces) for turn in each.turns]
    return any(turn.model_calls for turn in turns) and not any(map(_has_messages, turns))


def _has_messages(turn: Turn) -> bool:
    return bool(turn.user or turn.response or turn.messages)
