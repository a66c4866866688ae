"""The summary of a trace in a row of AgentV: how often each tool was called, and no more."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from agentevals.model.conversations import ModelCall, ToolCall, Turn
from agentevals.traces.reading import speech
from agentevals.traces.reading.json_text import MalformedError
from agentevals.traces.spans.values import count

Fields = dict[str, Any]

_MOST = 100_000  # calls that are made out of one number

_COUNTED_ONLY = (
    "recorded is how often each tool was called, and neither in which order nor with what; "
    "only counts can be judged"
)
_ANSWER_ONLY = "recorded is the answer only; whether tools were called is not known"


def of(row: Fields) -> Fields:
    """The summary of a row, under either of its names."""
    found = next((row[key] for key in ("trace", "trace_summary") if key in row), None)
    return found if isinstance(found, dict) else {}


def tool_calls(summary: Fields) -> tuple[ToolCall, ...]:
    """As many calls as were counted, sorted by name; their arguments are not known."""
    told = [summary.get(key) for key in ("tool_calls_by_name", "tool_calls")]
    names: Fields = next((each for each in told if isinstance(each, dict)), {})
    counts = {name: count(number) or 0 for name, number in names.items()}
    if sum(counts.values()) > _MOST:
        msg = f"it counts more than {_MOST} tool calls"
        raise MalformedError(msg)
    took = summary.get("tool_durations")
    durations = took if isinstance(took, dict) else {}
    return tuple(
        [
            _lasting(ToolCall(name=name, args=None), durations.get(name), at)
            for name, number in sorted(counts.items())
            for at in range(number)
        ]
    )


def model_calls(summary: Fields) -> tuple[ModelCall, ...]:
    """As many requests as were counted."""
    number = count(summary.get("llm_call_count")) or 0
    if number > _MOST:
        msg = f"it counts more than {_MOST} requests to models"
        raise MalformedError(msg)
    return (ModelCall(),) * number


def completed(turns: tuple[Turn, ...], summary: Fields) -> tuple[tuple[Turn, ...], list[str]]:
    """The turns; where their messages hold none of the calls that were counted, with those."""
    counted = tool_calls(summary)
    recorded = sum(len(turn.tool_calls) for turn in turns)
    if not turns or recorded >= len(counted):
        return turns, []
    if recorded:
        return turns, [f"{recorded} of {len(counted)} tool calls are in the recording"]
    return (*turns[:-1], with_counted(turns[-1], summary)), [caveat(counted)]


def with_counted(turn: Turn, summary: Fields) -> Turn:
    """The turn with the calls that were counted."""
    counted = tool_calls(summary)
    different = len({call.name for call in counted}) > 1
    return replace(turn, tool_calls=counted, unordered=different)


def caveat(calls: Sequence[ToolCall]) -> str:
    """What nobody can know of calls that were only counted."""
    return _COUNTED_ONLY if calls else _ANSWER_ONLY


def _lasting(call: ToolCall, durations: Any, at: int) -> ToolCall:
    known = durations if isinstance(durations, list) else []
    lasted = speech.duration_ns(known[at]) if at < len(known) else None
    return call if lasted is None else replace(call, end_ns=lasted, timed=True)
