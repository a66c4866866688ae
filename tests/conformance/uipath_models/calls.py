"""The evaluators of tool calls: which call is meant by which is what decision 4.7 is about."""

import operator
import re
from collections.abc import Callable
from typing import Any

from tests.conformance.uipath_judged import Call, Judged

Value = dict[str, Any]
IsMeant = Callable[[str, str | None, Call], bool]

_DROPPED = re.compile(r"[^a-zA-Z0-9_-]")
_SPACES = re.compile(r"\s+")
_LONGEST = 64
_HOLDS = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}


def judge(judged: Judged, decided: frozenset[str]) -> Value:
    """The share of what is expected; all or nothing if it is strict."""
    [wanted] = judged.criteria.values()
    is_order = judged.kind == "tool_call_order"
    if not wanted or not judged.calls:
        score = float(not wanted and not judged.calls)
        return {"score": score, "lcs": []} if is_order else {"score": score}
    is_meant = _is_ours if "4.7" in decided else _is_theirs
    if is_order:
        kept = _follow(wanted, judged, is_meant)
        return {"score": len(kept) / len(wanted), "lcs": kept}
    if judged.kind == "tool_call_count":
        count = _count_ours if "4.7" in decided else _count_theirs
        met = [_HOLDS[sign](count(name, judged.calls), n) for name, (sign, n) in wanted.items()]
    else:
        met = _match(wanted, judged, is_meant)
    strict = judged.config.get("strict")
    return {"score": float(all(met)) if strict else sum(met) / len(met)}


def _is_theirs(name: str, known: str | None, call: Call) -> bool:
    """By id if the call has one, otherwise by the letters and digits of the name."""
    if call.call_id is not None:
        return call.call_id == (name if known is None else known)
    return _sanitise(name) == _sanitise(call.name)


def _is_ours(name: str, known: str | None, call: Call) -> bool:
    """By id if both have one; by name otherwise, and an id may stand where the name goes."""
    if known is not None and call.call_id is not None:
        return known == call.call_id
    joined = _SPACES.sub("_", name) == _SPACES.sub("_", call.name)
    return joined or (call.call_id is not None and name == call.call_id)


def _sanitise(name: str) -> str:
    return _DROPPED.sub("", "_".join(name.split()))[:_LONGEST]


def _count_theirs(name: str, calls: list[Call]) -> int:
    keys = [call.name if call.call_id is None else call.call_id for call in calls]
    return keys.count(name) or keys.count(_sanitise(name))


def _count_ours(name: str, calls: list[Call]) -> int:
    return sum(_is_ours(name, None, call) for call in calls)


def _follow(wanted: list[str], judged: Judged, is_meant: IsMeant) -> list[str]:
    if judged.config.get("strict"):
        pairs = zip(wanted, judged.calls, strict=False)
        same = len(wanted) == len(judged.calls) and all(is_meant(n, None, c) for n, c in pairs)
        return wanted if same else []
    # of several runs that are as long, the one that is found with the fewest calls and names
    best: list[list[str]] = [[] for _ in range(len(wanted) + 1)]
    for call in judged.calls:
        before = best
        best = [[]]
        for at, name in enumerate(wanted):
            if is_meant(name, None, call):
                best.append([*before[at], name])
            else:
                best.append(max(best[at], before[at + 1], key=len))
    return best[-1]


def _match(wanted: list[Value], judged: Judged, is_meant: IsMeant) -> list[bool]:
    """Each expected call takes the first free one that fits."""
    free, met = list(judged.calls), []
    for one in wanted:
        meant = [call for call in free if is_meant(one["name"], one.get("id"), call)]
        if judged.kind == "tool_call_output":
            meant = meant[:1] if judged.config.get("strict") else meant
            fits = [call for call in meant if call.output == one["output"]]
        else:
            fits = [call for call in meant if _has(call.args, one["args"])]
        met.append(bool(fits))
        if fits:
            free.pop(next(at for at, call in enumerate(free) if call is fits[0]))
    return met


def _has(args: Value, wanted: Value) -> bool:
    return all(key in args and args[key] == value for key, value in wanted.items())
