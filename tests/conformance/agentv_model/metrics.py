"""Limits of what was used. What was not recorded is judged by nobody (1.11)."""

from typing import Any

from tests.conformance.agentv_model import MISTAKE, Entry, RefusedError, Said, binary, share
from tests.conformance.agentv_model.values import fix, print_number

_EXPLORING = {
    "read", "grep", "glob", "search", "list", "Read", "Grep", "Glob", "WebSearch", "WebFetch",
}  # fmt: skip
_LIMITS = {
    "max_tool_calls": "Tool calls",
    "max_llm_calls": "LLM calls",
    "max_tokens": "Total tokens",
    "max_input_tokens": "Input tokens",
    "max_output_tokens": "Output tokens",
    "max_cost_usd": "Cost",
    "max_duration_ms": "Duration",
}
_NEW = {"max_input_tokens", "max_output_tokens"}
ALL = {"latency", "cost", "token_usage", "execution_metrics"}


def judge(kind: str, entry: Entry, agent: Entry) -> Said:
    """What one of them says."""
    return {
        "latency": _judge_latency,
        "cost": _judge_cost,
        "token_usage": _judge_tokens,
        "execution_metrics": _judge_metrics,
    }[kind]({_snake(key): value for key, value in entry.items()}, agent)


def _snake(key: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in key)


def _limit(entry: Entry, key: str) -> Any:
    value = entry.get(key)
    if value is None or type(value) not in (int, float) or value < 0:
        raise RefusedError(MISTAKE)
    return value


def _unknown() -> Said:
    return Said(score=None).by("1.11")


def _judge_latency(entry: Entry, agent: Entry) -> Said:
    limit, took = _limit(entry, "threshold"), agent.get("duration_ms")
    if took is None:
        return _unknown()
    sign = "<=" if took <= limit else ">"
    said = f"Duration {print_number(took)}ms {sign} {print_number(limit)}ms threshold"
    return binary(said, met=took <= limit)


def _judge_cost(entry: Entry, agent: Entry) -> Said:
    limit, cost = _limit(entry, "budget"), agent.get("cost_usd")
    if cost is None:
        return _unknown()
    sign = "<=" if cost <= limit else ">"
    return binary(f"Cost ${fix(cost, 4)} {sign} ${fix(limit, 4)} budget", met=cost <= limit)


def _judge_tokens(entry: Entry, agent: Entry) -> Said:
    limits = [(n, entry[f"max_{n}"]) for n in ("input", "output", "total") if f"max_{n}" in entry]
    if not limits:
        raise RefusedError(MISTAKE)
    limits = [(noun, _limit(entry, f"max_{noun}")) for noun, _ in limits]
    used = agent.get("token_usage")
    if used is None:
        return _unknown()
    numbers = used | {"total": used["input"] + used["output"] + used.get("cached", 0)}
    hits, misses = [], []
    for noun, limit in limits:
        met = numbers[noun] <= limit
        sign = "<=" if met else ">"
        said = f"{noun.capitalize()} tokens {numbers[noun]} {sign} {print_number(limit)}"
        (hits if met else misses).append(said)
    return Said(score=float(not misses), hits=tuple(hits), misses=tuple(misses))


def _judge_metrics(entry: Entry, agent: Entry) -> Said:
    limits = {key: _limit(entry, key) for key in _LIMITS if key in entry}
    ratio = (
        _limit(entry, "target_exploration_ratio") if "target_exploration_ratio" in entry else None
    )
    if not limits and ratio is None:
        raise RefusedError(MISTAKE)
    tolerance = _limit({"exploration_tolerance": 0.2} | entry, "exploration_tolerance")
    calls = [call["tool"] for m in agent["output"] for call in m.get("tool_calls") or ()]
    used = agent.get("token_usage")
    numbers = {
        "max_tool_calls": len(calls),
        "max_llm_calls": sum(m["role"] == "assistant" for m in agent["output"]),
        "max_tokens": used and used["input"] + used["output"],
        "max_input_tokens": used and used["input"],
        "max_output_tokens": used and used["output"],
        "max_cost_usd": agent.get("cost_usd"),
        "max_duration_ms": agent.get("duration_ms"),
    }
    if any(numbers[key] is None for key in limits):
        return _unknown()
    hits: list[str] = []
    misses: list[str] = []
    for key, limit in limits.items():
        met = numbers[key] <= limit
        shown = f"{_show(key, numbers[key])} {'<=' if met else '>'} {_show(key, limit)}"
        (hits if met else misses).append(f"{_LIMITS[key]} {shown} max")
    if ratio is not None:
        _explore(calls, ratio, tolerance, hits, misses)
    return share(hits, misses).by(*(["3.7"] if limits.keys() & _NEW else []))


def _show(key: str, number: float) -> str:
    if key == "max_cost_usd":
        return f"${fix(number, 4)}"
    return print_number(number) + ("ms" if key == "max_duration_ms" else "")


def _explore(
    calls: list[str], target: float, tolerance: float, hits: list[str], misses: list[str]
) -> None:
    if not calls:
        misses.append("Exploration ratio not available (no tool calls)")
        return
    ratio = sum(tool in _EXPLORING for tool in calls) / len(calls)
    apart = abs(ratio - target)
    said = f"Exploration ratio {fix(ratio, 2)}"
    if apart <= tolerance:
        hits.append(f"{said} within tolerance of target {print_number(target)}")
        return
    why = f"(diff: {fix(apart, 2)}, tolerance: {print_number(tolerance)})"
    misses.append(f"{said} outside tolerance of target {print_number(target)} {why}")
