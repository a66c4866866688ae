"""Agents of unusual shapes, recorded with real packages: read as their script had it.

Each file of `tests/data/shapes` is what `record` wrote of one program, and the facts beside it
were held against what the model had said.
"""

import gzip
from typing import Any

import pytest

from agentevals.model.conversations import Conversation, ToolCall, Turn
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.support import DATA

RECORDED = sorted((DATA / "shapes").glob("*.jsonl.gz"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name.partition(".")[0])
def test_a_recorded_program_reads_as_the_facts_beside_it(path, golden):
    found = list(converse(loaders.load([path]).traces, group_by="conversation"))
    found.sort(key=lambda each: min((turn.start_ns for turn in each.turns), default=0))

    golden(path.with_name(path.name.replace(".jsonl.gz", ".json")), list(map(tell, found)))


def test_recordings_of_shapes_are_small():
    assert RECORDED
    assert all(len(gzip.decompress(path.read_bytes())) < 2**20 for path in RECORDED)


def tell(conversation: Conversation) -> dict[str, Any]:
    kept = {"is_preparation": True} if conversation.preparation else {}
    return {"turns": list(map(tell_turn, conversation.turns)), **kept}


def tell_turn(turn: Turn) -> dict[str, Any]:
    return {
        "agent": turn.agent,
        "question": turn.user,
        "calls": list(map(tell_call, turn.tool_calls)),
        "answer": turn.response,
        "requests": [[c.agent, c.input_tokens, c.output_tokens] for c in turn.model_calls],
        "unknown": [gap.fact.value for gap in turn.gaps],
    }


def tell_call(call: ToolCall) -> dict[str, Any]:
    told = {"name": call.name, "args": call.args, "answer": call.response, "agent": call.agent}
    return {**told, "failed": True} if call.failed else told
