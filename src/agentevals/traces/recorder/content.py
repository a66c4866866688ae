"""Whether a recording holds words: instrumentations keep messages only when they are told to."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from agentevals.model.conversations import Turn
from agentevals.traces import loaders
from agentevals.traces import turns as conversations

_LOOKED_AT = 20  # files; the agent that sent one sent them all
_LARGEST = 16 * 2**20  # bytes of a file that is read only to give advice


def lacks_messages(files: Sequence[Path]) -> bool:
    """Return whether a model was called in these recordings, and no question or answer is there."""
    small = (file for file in files if file.stat().st_size <= _LARGEST)
    traces = loaders.load(list(islice(small, _LOOKED_AT))).traces
    turns = [turn for each in conversations.converse(traces) for turn in each.turns]
    return any(turn.model_calls for turn in turns) and not any(map(_has_messages, turns))


def _has_messages(turn: Turn) -> bool:
    return bool(turn.user or turn.response or turn.messages)
