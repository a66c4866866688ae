"""The evaluators of version 1.0 that look at the output."""

import json
from typing import Any

from tests.conformance.uipath_judged import Judged
from tests.conformance.uipath_models.outcomes import BrokenItemError, EvaluatorError
from tests.conformance.uipath_models.values import (
    MISSING,
    WHOLE,
    as_floats,
    find,
    list_lines,
    match_leaves,
)

Value = dict[str, Any]


def judge(judged: Judged, decided: frozenset[str]) -> Value:
    """Exact match, contains and JSON similarity."""
    if judged.by_line and not isinstance(judged.path, list):
        return _judge_lines(judged, decided)
    return _compare(judged, *find_sides(judged, decided))


def find_sides(judged: Judged, decided: frozenset[str]) -> tuple[Any, Any]:
    """What is expected, and what there was."""
    return _find_expected(judged, decided), _find_actual(judged, decided)


def classify(judged: Judged, decided: frozenset[str]) -> Value:
    """The two classifications."""
    found = str(_find_actual(judged, decided)).lower()
    wanted = str(judged.criteria["expectedClass"]).lower()
    classes = [name.lower() for name in judged.config.get("classes", (wanted, found))]
    if not {wanted, found} <= set(classes):
        raise EvaluatorError
    return {"score": float(wanted == found), "expected": wanted, "actual": found}


def _judge_lines(judged: Judged, decided: frozenset[str]) -> Value:
    try:
        sides = find_sides(judged, decided)
    except EvaluatorError:
        raise BrokenItemError from None
    expected, actual = (list_lines(side, judged.delimiter) for side in sides)
    count = max(len(expected), len(actual), 1 if "4.11" in decided else 0)
    lines = [lines + [""] * (count - len(lines)) for lines in (expected, actual)]
    # a line is put back at the path as if it were one key, where a path is not found again
    lost = find({judged.path: ""}, judged.path) is MISSING and "7.20" not in decided
    scores = [
        0.0 if lost and judged.path != WHOLE else _compare(judged, wanted, found)["score"]
        for wanted, found in zip(*lines, strict=True)
    ]
    return {"score": sum(scores) / len(scores) if scores else 0.0, "lines": scores}


def _compare(judged: Judged, wanted: Any, found: Any) -> Value:
    config = judged.config
    if judged.kind == "json_similarity":
        matched, total = match_leaves(wanted, found)
        score = max(0.0, min(1.0, matched / total)) if total else 1.0
        told = {"expected": str(wanted), "actual": str(found)}
        return {"score": score, "matched_leaves": matched, "total_leaves": total, **told}
    folds = not config.get("caseSensitive")
    one, other = (str(side).lower() if folds else str(side) for side in (wanted, found))
    if judged.kind == "contains":
        met = judged.criteria["searchText"].lower() if folds else judged.criteria["searchText"]
        holds, told = met in other, {"expected": met, "actual": other}
    else:
        texts = isinstance(wanted, str) or isinstance(found, str)
        holds = one == other if texts else wanted == found
        told = {"expected": str(wanted), "actual": str(found)}
    return {"score": float(holds is not config.get("negated", False)), **told}


def _find_actual(judged: Judged, decided: frozenset[str]) -> Any:
    return _find_part(judged.output, judged.path, decided)


def _find_expected(judged: Judged, decided: frozenset[str]) -> Any:
    if judged.kind == "contains":
        return judged.criteria["searchText"]
    whole = judged.criteria["expectedOutput"]
    if judged.path != WHOLE and isinstance(whole, str):
        try:
            whole = json.loads(whole)
        except ValueError:
            raise EvaluatorError from None
    return _find_part(whole, judged.path, decided)


def _find_part(whole: Any, path: Any, decided: frozenset[str]) -> Any:
    if isinstance(path, list):
        return {one: _find_part(whole, one, decided) for one in path}
    found = find(whole, path)
    if found is MISSING and "7.21" in decided and isinstance(whole, dict):
        found = whole.get(path, MISSING)  # a key with dots in it, as before there were paths
    if found is MISSING:
        raise EvaluatorError
    return as_floats(found)
