"""Which decisions explain that tool calls and fields are judged in another way than AgentV's."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from agentevals.graders.agentv.fields import read_document, read_expected, read_value
from tests.conformance.rows import Difference, explains

Recorded = dict[str, Any]
Rule = Callable[[Difference, Recorded, Recorded, Recorded], bool]

_JUDGED = {"score", "verdict", "hits", "misses", "refused", "evaluators"}
_PARTS = re.compile(r"'(expected\[\d+\]|fields\[\d+\]|aggregation|minimums|args_?[mM]atch)[.']")
_CHILDREN = ("assertions", "assert", "evaluators")


def explain(difference: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> str:
    """The number of the decision that asks for this difference, or nothing."""
    judged = difference.where.rsplit("/", 1)[-1] in _JUDGED
    if not judged or any(one["error"] for one in ours.get("evaluators", ())):
        return ""
    return next((n for n, rule in _RULES if explains(rule, difference, case, recorded, ours)), "")


def _default_mode(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A trajectory without a mode was dropped; now its mode is any_order."""
    return any("mode" not in one for one in _entries(case, "tool_trajectory"))


def _expected_counts(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """Without an order, `expected` was not looked at, and `minimums` had to be there."""
    return any(
        one.get("expected") and one.get("mode", "any_order") == "any_order"
        for one in _entries(case, "tool_trajectory")
    )


def _too_many_calls(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A call too many cost nothing."""
    made = sum(len(message.get("tool_calls", ())) for message in case["agent"]["output"])
    return any(
        one.get("mode") == "exact" and made > len(one.get("expected", ()))
        for one in _entries(case, "tool_trajectory")
    )


def _more_ways(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """Fields without `match`, further ways to match, and the aggregation `minimum`."""
    return any(
        one.get("aggregation") == "minimum"
        or any(field.get("match", "contains") in {"contains", "regex"} for field in one["fields"])
        for one in _entries(case, "field_accuracy")
    )


def _dates(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """Listed formats come first, and a day that does not exist is no date."""
    fields = [f for one in _entries(case, "field_accuracy") for f in one.get("fields", ())]
    return any(
        field.get("match") == "date"
        and (field.get("formats") or not all(map(_is_iso, _values(case, field["path"]))))
        for field in fields
    )


def _left_out_silently(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A part of these evaluators that is not right was left out; now it is an error."""
    problems = ours.get("problems", ())
    return bool(problems) and all(_PARTS.search(problem) for problem in problems)


def _label_turned(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """The verdict of an opposite is that of its score, not the opposite verdict."""
    number = d.where.split("/")[1] if d.where.startswith("evaluators/") else ""
    negated = number and case["test"]["assertions"][int(number)].get("negate")
    if not negated or not d.where.endswith("/verdict"):
        return False
    score = recorded["evaluators"][int(number)]["score"]
    return bool(d.ours == ("pass" if score >= 0.8 else "borderline" if score >= 0.6 else "fail"))


def _values(case: Recorded, path: str) -> Iterator[Any]:
    said = [m for m in case["agent"]["output"] if m["role"] == "assistant" and "content" in m]
    wanted = case["test"].get("expected_output", [])
    messages = wanted if isinstance(wanted, list) else [{"role": "assistant", "content": wanted}]
    with suppress(ValueError):
        yield read_value(path, read_document(said[-1]["content"]))
    yield read_value(path, read_expected(messages))


def _is_iso(value: Any) -> bool:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return "-" in str(value)


def _entries(case: Recorded, kind: str) -> Iterator[Recorded]:
    """The evaluators of a type, at any depth."""
    pending = [case["test"]]
    for one in pending:
        if str(one.get("type", "")).replace("-", "_") == kind:
            yield one
        pending += [e for key in _CHILDREN for e in one.get(key, ()) if isinstance(e, dict)]


_RULES: tuple[tuple[str, Rule], ...] = (
    ("1.1", _left_out_silently),
    ("3.4", _default_mode),
    ("3.5", _expected_counts),
    ("3.6", _too_many_calls),
    ("3.8", _more_ways),
    ("3.8", _dates),
    ("3.17", _label_turned),
)
