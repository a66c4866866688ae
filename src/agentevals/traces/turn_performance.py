"""Time, tokens and calls: of a turn, of a conversation, of a run."""

# ruff: noqa: SLF001 -- parts of a run are joined, each of the same class

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentevals.model.conversations import ModelCall, Turn

_NS_PER_MS = 1e6
_ADDED = (
    "total_prompt", "total_output", "cache_creation_tokens", "cache_read_tokens",
    "llm_calls", "tool_calls",
)  # fmt: skip
_NOTHING = {"min": 0.0, "median": 0.0, "max": 0.0, "count": 0, "p50": 0.0, "p95": 0.0, "p99": 0.0}


def measure(turns: Sequence[Turn], *, elapsed_ns: Sequence[int] = ()) -> dict[str, Any]:
    """Return the time, tokens and calls of all turns; without turns, the time is `elapsed_ns`."""
    calls = [call for turn in turns for call in turn.model_calls]
    tools = [call for turn in turns for call in turn.tool_calls]
    lasted = [_milliseconds(turn.start_ns, turn.end_ns) for turn in turns if turn.end_ns]
    if not turns:
        lasted = [_milliseconds(0, root_ns) for root_ns in elapsed_ns]
    found: dict[str, Any] = {
        "latency": {
            "overall": _statistics(lasted),
            "llm_calls": _statistics(
                [_milliseconds(c.start_ns, c.end_ns) for c in calls if c.end_ns]
            ),
            "tool_executions": _statistics(
                [_milliseconds(tool.start_ns, tool.end_ns) for tool in tools if tool.timed]
            ),
        },
        "tokens": _tokens(calls),
        "counts": {"llm_calls": len(calls), "tool_calls": len(tools), "invocations": len(turns)},
        "models": sorted({call.model for call in calls if call.model}),
        "tool_names": sorted({tool.name for tool in tools}),
    }
    costs = [call.cost for call in calls if call.cost is not None]
    if costs:
        found["cost"] = {"total": sum(costs)}
    return found


class RunPerformance:
    """Time, tokens and calls of a run, added up case by case; one number of each case is kept."""

    def __init__(self) -> None:
        self._traces = 0
        self._sums = Counter[str]()
        self._models: set[str] = set()
        self._medians = array("d")

    def add(self, performance: Mapping[str, Any]) -> None:
        """Add the figures of one case, as `measure` returns them."""
        self._traces += 1
        figures = performance["tokens"] | performance["counts"]
        for name in _ADDED:
            self._sums[name] += figures[name]
        self._models.update(performance["models"])
        overall = performance["latency"]["overall"]
        if overall["count"]:
            self._medians.append(overall["median"])

    def join(self, later: "RunPerformance") -> None:
        """Add the cases that follow, which another process has added up."""
        self._traces += later._traces
        self._sums.update(later._sums)
        self._models |= later._models
        self._medians.extend(later._medians)

    def result(self) -> dict[str, Any]:
        """Return the numbers of the whole run; nothing when there was no case."""
        if not self._traces:
            return {}
        number = self._traces
        prompt, output, created, read, model_calls, tool_calls = (self._sums[n] for n in _ADDED)
        return {
            "tokens": {
                "total_prompt": prompt,
                "total_output": output,
                "total": prompt + output,
                "avg_per_trace": {"prompt": prompt / number, "output": output / number},
                "cache_creation_tokens": created,
                "cache_read_tokens": read,
            },
            "latency": {"overall_per_trace": _percentiles(sorted(self._medians))},
            "counts": {
                "traces": number,
                "total_llm_calls": model_calls,
                "total_tool_calls": tool_calls,
                "avg_llm_calls_per_trace": model_calls / number,
                "avg_tool_calls_per_trace": tool_calls / number,
            },
            "models": sorted(self._models),
            "trace_count": number,
        }


def _tokens(calls: Iterable[ModelCall]) -> dict[str, Any]:
    prompt = output = created = read = thought = 0
    per_call = []
    for call in calls:
        if call.input_tokens is not None or call.output_tokens is not None:
            given, made = call.input_tokens or 0, call.output_tokens or 0
            prompt += given
            output += made
            per_call.append(float(given + made))
            created += call.cache_creation_tokens
            read += call.cache_read_tokens
            thought += call.reasoning_tokens
    found = {
        "total_prompt": prompt,
        "total_output": output,
        "total": prompt + output,
        "per_llm_call": _statistics(per_call),
        "cache_creation_tokens": created,
        "cache_read_tokens": read,
    }
    return {**found, "reasoning_tokens": thought} if thought else found


def _milliseconds(start_ns: int, end_ns: int) -> float:
    """Return milliseconds; 0 if the clocks of two machines disagree and the end comes first."""
    return (end_ns - start_ns) / _NS_PER_MS if end_ns > start_ns else 0.0


def _statistics(values: list[float]) -> dict[str, Any]:
    if not values:
        return dict(_NOTHING)
    if len(values) == 1:
        only = values[0]
        found = dict.fromkeys(_NOTHING, only)
        found["count"] = 1
        return found
    values.sort()
    shares = _percentiles(values)
    spread = {"min": values[0], "median": shares["p50"], "max": values[-1], "count": len(values)}
    return spread | shares


def _percentiles(ordered: Sequence[float]) -> dict[str, float]:
    """Return percentiles of sorted values, without interpolation above the median."""
    if not ordered:
        return {}
    number = len(ordered)
    middle = ordered[number // 2]
    if number % 2 == 0:
        middle = (ordered[number // 2 - 1] + middle) / 2
    return {"p50": middle, "p95": ordered[int(number * 0.95)], "p99": ordered[int(number * 0.99)]}
