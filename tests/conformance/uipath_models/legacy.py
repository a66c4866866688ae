"""Exact match and JSON similarity of before version 1.0."""

import json
from typing import Any

from tests.conformance.uipath_judged import Judged
from tests.conformance.uipath_models.values import (
    MISSING,
    WHOLE,
    as_floats,
    find,
    list_lines,
    measure_similarity,
)

Value = dict[str, Any]
_PERCENT = 100


def judge(judged: Judged, decided: frozenset[str]) -> Value:
    """One score, or one for each line."""
    sides = (judged.criteria["expectedOutput"], judged.output)
    if judged.by_line:
        return _judge_lines(judged, decided, *sides)
    if "4.9" in decided:
        score = _compare_parts(judged, *find_parts(judged.path, *sides))
    else:
        score = _compare(judged, *sides)
    return {"score": _scale(judged, score, decided)}


def _scale(judged: Judged, score: float, decided: frozenset[str]) -> float:
    """A yes and a full similarity are 100 there."""
    decision = "4.6" if judged.kind == "legacy_exact_match" else "7.22"
    return score if decision in decided else score * _PERCENT


def _judge_lines(judged: Judged, decided: frozenset[str], *sides: Any) -> Value:
    found = sides
    if "4.9" in decided:
        found = find_parts(judged.path, *sides, by_line=True)
        if MISSING in found:
            return {"score": float(found[0] is found[1])}
    elif judged.path != WHOLE:  # one key, or else the whole; of the output twice
        found = [
            _read_key(side, judged.path) for side in (sides[0], _read_key(sides[1], judged.path))
        ]
    expected, actual = (list_lines(side, judged.delimiter) for side in found)
    count = max(len(expected), len(actual), 1 if "4.11" in decided else 0)
    lines = [lines + [""] * (count - len(lines)) for lines in (expected, actual)]
    compare = _compare_parts if "4.9" in decided else _compare_wrapped
    scores = [compare(judged, *pair) for pair in zip(*lines, strict=True)]
    if judged.kind == "legacy_json_similarity":
        scores = [_scale(judged, score, decided) for score in scores]
    return {"score": sum(scores) / len(scores) if scores else 0.0, "lines": scores}


def _read_key(side: Any, key: str) -> Any:
    return side[key] if isinstance(side, dict) and key in side else side


def _compare_wrapped(judged: Judged, wanted: str, found: str) -> float:
    """A line is put back at the path as if it were one key."""
    if judged.path == WHOLE:
        return _compare(judged, wanted, found)
    return _compare(judged, {judged.path: wanted}, {judged.path: found})


def _compare(judged: Judged, *sides: Any) -> float:
    """As UiPath does: exact match empties both sides where one lacks the path."""
    if judged.kind == "legacy_exact_match":
        if all(isinstance(side, dict) for side in sides):
            found = [find(side, judged.path) for side in sides]
            sides = ({}, {}) if MISSING in found else tuple(found)
    else:
        sides = tuple({} if (one := find(s, judged.path)) is MISSING else one for s in sides)
    return _compare_parts(judged, *sides)


def _compare_parts(judged: Judged, *sides: Any) -> float:
    wanted, found = (as_floats({} if side is MISSING else side) for side in sides)
    if judged.kind == "legacy_exact_match":
        return float(json.dumps(wanted, sort_keys=True) == json.dumps(found, sort_keys=True))
    return measure_similarity(wanted, found)


def find_parts(path: str, *sides: Any, by_line: bool = False) -> list[Any]:
    """Find the parts at a path, of which a text has none. One that both lack may be one key."""
    mixed = len({isinstance(side, str) for side in sides}) > 1
    if (mixed and not by_line) or path == WHOLE:
        return list(sides)
    found = [side if isinstance(side, str) else find(side, path) for side in sides]
    if all(one is MISSING for one in found):
        found = [side.get(path, MISSING) for side in sides]
    return found
