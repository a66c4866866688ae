"""A conversation in numbers, under the names that AgentV gives them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from agentevals.graders import messages
from agentevals.model.conversations import ToolCall, Turn

_MS, _SECOND = 1_000_000, 1_000_000_000


def summarise(turns: Sequence[Turn], told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sum up the turns. `told` are the messages of the agent."""
    calls = list(messages.list_tool_calls(turns))
    model_calls = sum(len(turn.model_calls) for turn in turns)
    spoken = sum(message.get("role") == "assistant" for message in told)
    by_name = dict(Counter(call.name for call in calls))
    return {
        "event_count": len(calls),
        "tool_names": sorted(by_name),
        "tool_calls_by_name": by_name,
        "tool_calls": by_name,
        "error_count": sum(call.failed for call in calls),
        "llm_call_count": model_calls or spoken,
        "tool_durations": _list_durations(calls),
        **measure(turns),
    }


def measure(turns: Sequence[Turn]) -> dict[str, Any]:
    """Tokens, money and time; null where nothing was recorded."""
    return {
        "token_usage": _add_tokens(turns),
        "cost_usd": _add_known(call.cost for turn in turns for call in turn.model_calls),
        "duration_ms": _add_known(_measure_turn(turn) for turn in turns),
        "start_time": _format_moment(min((t.start_ns for t in turns if t.start_ns > 0), default=0)),
        "end_time": _format_moment(max((t.end_ns for t in turns if t.start_ns > 0), default=0)),
    }


def _list_durations(calls: Iterable[ToolCall]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for call in calls:
        duration = messages.measure_call_ms(call)
        if duration is not None:
            found.setdefault(call.name, []).append(duration)
    return found


def _add_tokens(turns: Sequence[Turn]) -> dict[str, int] | None:
    calls = [call for turn in turns for call in turn.model_calls]
    given = _add_known(call.input_tokens for call in calls)
    made = _add_known(call.output_tokens for call in calls)
    if given is None and made is None:
        return None
    cached = sum(call.cache_read_tokens for call in calls)
    told = {"input": int(given or 0), "output": int(made or 0)}
    return told | {"cached": cached} if cached else told


def _add_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _measure_turn(turn: Turn) -> float | None:
    return max(0, turn.end_ns - turn.start_ns) / _MS if turn.end_ns else None


def _format_moment(ns: int) -> str | None:
    if ns <= 0:
        return None
    try:
        moment = datetime.fromtimestamp(ns / _SECOND, UTC)
    except (OverflowError, ValueError, OSError):
        return None  # a clock that was wrong by centuries
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
