"""A conversation as the messages that AgentV's evaluators read: roles, contents, tool calls."""

from collections.abc import Iterable, Iterator
from typing import Any

from agentevals.model.cases import Case
from agentevals.model.conversations import ToolCall, Turn

Message = dict[str, Any]

_MILLISECOND = 1_000_000


def list_agent_messages(turns: Iterable[Turn]) -> list[Message]:
    """List the agent's messages: as they were recorded, else as the turns give them."""
    return [message for turn in turns for message in turn.messages or _build_messages(turn)]


def list_input_messages(case: Case) -> list[Message]:
    """The messages that the agent was given: those of the task, else what the user said."""
    if case.task and case.task.input:
        return list(case.task.input)
    return [{"role": "user", "content": turn.user} for turn in case.turns if turn.user]


def read_question(case: Case) -> str:
    """Return the question of the task, else all that the user said."""
    if case.task and case.task.question:
        return case.task.question
    return "\n\n".join(turn.user for turn in case.turns if turn.user)


def list_expected_messages(case: Case) -> list[Message]:
    """The messages that were expected: those of the task, else those of the expected turns."""
    if case.task and case.task.expected_output:
        return list(case.task.expected_output)
    return list_agent_messages(case.expected or ())


def list_tool_calls(turns: Iterable[Turn]) -> Iterator[ToolCall]:
    """Every call, in the order of the turns."""
    for turn in turns:
        yield from turn.tool_calls


def _build_messages(turn: Turn) -> Iterator[Message]:
    for said in turn.intermediate:
        yield {"role": "assistant", "content": said}
    if turn.tool_calls:
        calls = [_describe_call(call) for call in turn.tool_calls]
        yield {"role": "assistant", "content": "", "tool_calls": calls}
    if turn.response is not None:
        yield {"role": "assistant", "content": turn.response}


def _describe_call(call: ToolCall) -> Message:
    told: Message = {"tool": call.name}
    if call.args is not None:
        told["input"] = call.args
    if call.answered:
        told["output"] = call.response
    if call.call_id:
        told["id"] = call.call_id
    duration = measure_call_ms(call)
    if duration is not None:
        told["duration_ms"] = duration
    if call.failed:
        told["status"] = "error"
    return told


def measure_call_ms(call: ToolCall) -> float | None:
    """Return the milliseconds a call took, if that was recorded."""
    return (call.end_ns - call.start_ns) / _MILLISECOND if call.timed else None
