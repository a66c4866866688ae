"""Counts, tokens and times of the spans that were recorded, by the definitions of 0.11."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from tests.conformance.agentevals_model.inputs import Group
from tests.conformance.agentevals_model.picture import Told
from tests.conformance.agentevals_model.recorded import Span

_MS = 1e6
_INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
_OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")


def describe_values(values: Sequence[float]) -> Told:
    """What is told of some values; zeros of none."""
    if not values:
        return dict.fromkeys(("min", "median", "max", "p50", "p95", "p99"), 0.0) | {"count": 0}
    ordered = sorted(values)
    told = {"min": ordered[0], "median": median(ordered), "max": ordered[-1], "count": len(ordered)}
    return told | describe_shares(ordered)


def describe_shares(values: Sequence[float]) -> Told:
    """The value that half, 95 and 99 of a hundred do not exceed."""
    ordered = sorted(values)
    shares = {f"p{part}": ordered[int(len(ordered) * part / 100)] for part in (95, 99)}
    return {"p50": median(ordered)} | shares


def measure_group(group: Group, calls: Sequence[str]) -> Told:
    """The figures of one conversation that called these tools."""
    models = [span for turn in group.turns for span in turn.models]
    tools = [span for turn in group.turns for span in turn.tools]
    whole = [
        (max(s.end for s in turn.spans) - min(s.start for s in turn.spans)) / _MS
        for turn in group.turns
    ]
    latency = {
        "overall": whole,
        "llm_calls": map(_last, models),
        "tool_executions": map(_last, tools),
    }
    prompt, output = (sum(_count(span, keys) for span in models) for keys in (_INPUT, _OUTPUT))
    counts = {"llm_calls": len(models), "tool_calls": len(calls), "invocations": len(group.turns)}
    return {
        "counts": counts,
        "latency": {name: describe_values(list(values)) for name, values in latency.items()},
        "tokens": {"total_prompt": prompt, "total_output": output, "total": prompt + output},
        "tool_names": sorted(set(calls)),
    }


def _last(span: Span) -> float:
    return (span.end - span.start) / _MS


def _count(span: Span, keys: Sequence[str]) -> int:
    return next((int(span.attributes[key]) for key in keys if key in span.attributes), 0)


def measure_run(groups: Sequence[Told]) -> Told:
    """The figures of all conversations together."""
    overall = [group["latency"]["overall"]["median"] for group in groups]
    llm, tools = (sum(g["counts"][key] for g in groups) for key in ("llm_calls", "tool_calls"))
    prompt, output = (
        sum(g["tokens"][f"total_{key}"] for g in groups) for key in ("prompt", "output")
    )
    number = len(groups)
    return {
        "counts": {
            "traces": number,
            "total_llm_calls": llm,
            "total_tool_calls": tools,
            "avg_llm_calls_per_trace": llm / number,
            "avg_tool_calls_per_trace": tools / number,
        },
        "latency": {"overall_per_trace": describe_shares(overall)},
        "tokens": {
            "total_prompt": prompt,
            "total_output": output,
            "total": prompt + output,
            "avg_per_trace": {"prompt": prompt / number, "output": output / number},
        },
    }


def merge(told: dict[str, Any], changed: dict[str, Any]) -> None:
    """Put changed values in the place of those that were told, part by part."""
    for key, value in changed.items():
        if isinstance(value, dict) and isinstance(told.get(key), dict):
            merge(told[key], value)
        else:
            told[key] = value
