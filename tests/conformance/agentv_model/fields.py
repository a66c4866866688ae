"""Field accuracy, with what AgentEvals describes and AgentV has not (3.8)."""

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from tests.conformance.agentv_model import MISTAKE, Entry, RefusedError, Said, clamp
from tests.conformance.agentv_model.days import read_day
from tests.conformance.agentv_model.texts import trim
from tests.conformance.agentv_model.values import fix, is_same, name_type, parse_float, print_number
from tests.conformance.agentv_model.values import read_at as _read_at

_WAYS = {"exact", "numeric_tolerance", "date", "contains", "regex"}
_SHOWN = 4

Met = tuple[bool, str]


def judge(entry: Entry, answer: str, expected_output: Any) -> Said:
    """What it says; hits and misses are four each at most."""
    fields = entry.get("fields")
    if not isinstance(fields, list) or not fields:
        raise RefusedError(MISTAKE)
    for one in fields:
        _check(one)
    if entry.get("aggregation", "weighted_average") not in {
        "weighted_average", "all_or_nothing", "minimum",
    }:  # fmt: skip
        raise RefusedError(MISTAKE)
    shortened = ["7.12"] if len(fields) > _SHOWN else []
    return _judge(entry, answer, expected_output).by(*_decide(entry, fields), *shortened)


def _judge(entry: Entry, answer: str, expected_output: Any) -> Said:
    try:
        found = read_document(answer)
    except ValueError:
        miss = "Failed to parse candidate answer as JSON"
        return Said(score=0.0, misses=(miss,), reasoning="Candidate answer is not valid JSON")
    wanted = _read_expected(expected_output)
    if wanted is ...:
        return Said(
            score=0.0,
            misses=("No expected data found in expected_output",),
            reasoning="Could not extract expected data from expected_output",
        )
    results = [_compare(one, found, wanted) for one in entry["fields"]]
    return _aggregate(results, entry.get("aggregation", "weighted_average"))


def _decide(entry: Entry, fields: list[Entry]) -> list[str]:
    new = entry.get("aggregation") == "minimum" or any(
        one.get("match") in {None, "contains", "regex", "date"} for one in fields
    )
    return ["3.8"] if new else []


def _check(one: Any) -> None:
    if not isinstance(one, dict) or not isinstance(one.get("path"), str) or not one["path"]:
        raise RefusedError(MISTAKE)
    if one.get("match", "exact") not in _WAYS:
        raise RefusedError(MISTAKE)
    for key in ("tolerance", "weight"):
        if key in one and type(one[key]) not in (int, float):
            raise RefusedError(MISTAKE)
    if one.get("tolerance", 0) < 0:
        raise RefusedError(MISTAKE)


def read_document(text: str) -> Any:
    """From the first brace to the last, or all of it."""
    plain = trim(re.sub(r"```(?:json)?", "", text, flags=re.IGNORECASE))
    first, last = plain.find("{"), plain.rfind("}")
    return json.loads(plain[first : last + 1] if 0 <= first < last else plain)


def _read_expected(given: Any) -> Any:
    messages = given if isinstance(given, list) else [given]
    if not all(isinstance(one, dict) and "role" in one for one in messages):
        messages = [{"role": "assistant", "content": given}]
    for message in reversed(messages):
        content = message.get("content") if message["role"] == "assistant" else None
        if isinstance(content, dict | list):
            return content
        if isinstance(content, str) and content:
            try:
                return read_document(content) or ...
            except ValueError:
                continue
    return ...


def _compare(one: Entry, found: Any, wanted: Any) -> tuple[bool, float, str]:
    path, weight = one["path"], one.get("weight", 1.0)
    got, asked = _read_at(path, found), _read_at(path, wanted)
    if asked is ...:
        return True, weight, f"{path}: no expected value"
    if got is ... and one.get("required", True):
        return False, weight, f"{path} (required, missing)"
    if got is ...:
        return True, 0.0, f"{path}: optional field missing"
    met, remark = _COMPARED[one.get("match", "exact")](got, asked, one)
    return met, weight, f"{path} ({remark})" if remark else path


def _aggregate(results: list[tuple[bool, float, str]], how: str) -> Said:
    hits = [said for met, _, said in results if met]
    misses = [said for met, _, said in results if not met]
    total = sum(weight for _, weight, _ in results)
    score = sum(weight for met, weight, _ in results if met) / total if total else 0.0
    if how != "weighted_average":
        score = float(not misses)
    return Said(
        score=clamp(score) if isfinite(score) else 0.0,
        hits=tuple(hits[:_SHOWN]),
        misses=tuple(misses[:_SHOWN]),
        reasoning=f"{len(hits)}/{len(results)} fields matched",
    )


def _equal(got: Any, asked: Any, _: Entry) -> Met:
    if is_same(got, asked):
        return True, ""
    one, other = name_type(got), name_type(asked)
    return (
        False,
        "value mismatch" if one == other else f"type mismatch: got {one}, expected {other}",
    )


def _near(got: Any, asked: Any, one: Entry) -> Met:
    first, second = parse_float(got), parse_float(asked)
    if first is None or second is None:
        return False, "non-numeric value"
    if not (isfinite(first) and isfinite(second)):
        return False, "invalid numeric value"
    apart, allowed = abs(first - second), one.get("tolerance", 0)
    measured = apart / abs(second) if one.get("relative") and second else apart
    if measured <= allowed:
        return True, f"within tolerance: diff={fix(apart, 2)}"
    return (
        False,
        f"outside tolerance: diff={fix(apart, 2)}, tolerance={print_number(allowed)}",
    )


def _same_day(got: Any, asked: Any, one: Entry) -> Met:
    first, second = (read_day(value, one.get("formats", ())) for value in (got, asked))
    if first is None or second is None:
        return False, f"unparseable {'expected' if first else 'candidate'} date"
    same = first == second
    return same, "" if same else f"date mismatch: got {first}, expected {second}"


def _holds(got: Any, asked: Any, _: Entry) -> Met:
    if isinstance(got, str) and not isinstance(asked, dict | list):
        met = _print(asked) in got
        return met, "" if met else "does not contain the expected text"
    if not isinstance(got, list):
        return False, f"neither text nor list: got {name_type(got)}"
    items = asked if isinstance(asked, list) else [asked]
    met = all(any(is_same(one, item) for one in got) for item in items)
    return met, "" if met else "does not contain the expected item"


def _fits(got: Any, asked: Any, _: Entry) -> Met:
    if got is None or isinstance(got, dict | list):
        return False, "no text that a pattern could match"
    met = re.search(asked, _print(got)) is not None
    return met, "" if met else "does not match the expected pattern"


def _print(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return print_number(value) if isinstance(value, int | float) else str(value)


_COMPARED: dict[str, Callable[[Any, Any, Entry], Met]] = {
    "exact": _equal,
    "numeric_tolerance": _near,
    "date": _same_day,
    "contains": _holds,
    "regex": _fits,
}
