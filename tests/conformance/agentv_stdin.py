"""What releases of AgentV wrote to a code judge: each key is in our payload, and of its kind."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agentevals.graders.programs import code_judge_payload
from agentevals.model.cases import Case, Task
from agentevals.model.conversations import Conversation, ModelCall, ToolCall, Turn
from agentevals.text.json_text import encode
from tests.conformance.reading import each
from tests.conformance.rows import Difference, Row, differences

_FILE = "code_judge_stdin_by_version.json"
_SECOND = 1_000_000_000
_CALL = {
    "tool": "search",
    "input": {"queryText": "q"},
    "output": {"resultList": [1]},
    "id": "c1",
    "duration_ms": 5,
}
_SAID = {
    "role": "assistant",
    "content": "an answer",
    "timestamp": "2026-01-01T00:00:00Z",
    "tool_calls": [_CALL],
}
# there is no workspace in a recording
_EVENTS = "trace/events"
_NEVER_THERE = {"file_changes", "workspace_path"}
_USERS_OWN = {"query_text", "result_list"}
_SUMMARIES = {"trace_summary", "traceSummary", "candidate_trace_summary"}


def rows(folder: Path) -> Iterator[Row]:
    """One row for each release."""
    ours = _kind(json.loads(encode(code_judge_payload.build_payload(_case(), {"opt_a": 1}))))
    yield from each(folder / _FILE, partial(_row, ours), "releases")


def _row(ours: dict[str, Any], _: str, release: dict[str, Any]) -> Row:
    recorded = {k: kind for k, kind in release["shape"].items() if k not in _NEVER_THERE}
    recorded |= {key: "null" for key in release["shape"] if key in _NEVER_THERE}
    found = list(differences(recorded, ours))
    return Row(
        f"stdin/{release['tag']}",
        tuple((_number(each), each) for each in found if _decided(each, release["tag"])),
        tuple(each for each in found if not _decided(each, release["tag"])),
    )


def _number(found: Difference) -> str:
    return "3.22" if found.where == _EVENTS else "3.13"


def _decided(found: Difference, tag: str) -> bool:
    """Keys of users stay, one key means one thing, and each message is sent under its own keys."""
    *above, last = found.where.split("/")
    return (
        last in _USERS_OWN
        or (found.where == _EVENTS and found.recorded == [])  # called without a run, it has none
        or found.where == "output"  # the text, where 3.1 has the messages
        or (above[:1] == ["output_messages"] and tag == "v1.5.0")  # camel case below snake case
        or (above[:1] != [] and above[0] in _SUMMARIES and last in {"messages", "events"})
    )


def _case() -> Case:
    turn = Turn(
        user="why?",
        response="an answer",
        messages=(_SAID,),
        tool_calls=(ToolCall(name="search", args=_CALL["input"], end_ns=5, timed=True),),
        model_calls=(ModelCall(input_tokens=1, output_tokens=1, cost=0.5),),
        start_ns=_SECOND,
        end_ns=2 * _SECOND,
    )
    task = Task(
        question="why?",
        reference="because",
        input=({"role": "user", "content": "why?"},),
        expected_output=({"role": "assistant", "content": "because"},),
        input_files=("a.txt",),
        guideline_files=("b.md",),
        metadata={"k": 1},
    )
    conversation = Conversation(conversation_id="c", turns=(turn,))
    return Case(conversation=conversation, criteria="be right", task=task)


def _kind(value: Any) -> Any:
    """The kind of each value, in the words of the recording."""
    if isinstance(value, dict):
        return {key: _kind(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_kind(value[0])] if value else []
    if value is None:
        return "null"
    return "number" if isinstance(value, int | float) else "string"
