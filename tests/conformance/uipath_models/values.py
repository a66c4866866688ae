"""Paths, numbers and similarity, written down once more so that they check ours."""

import math
import re
from functools import cache
from typing import Any

MISSING = object()
WHOLE = "*"
_TOKEN = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_ZERO = 1e-12


def find(value: Any, path: str) -> Any:
    """The value at a path, or MISSING."""
    if path == WHOLE:
        return value
    for key, index in _TOKEN.findall(path):
        inner = int(index) if index else key
        if not isinstance(value, list if index else dict):
            return MISSING
        try:
            value = value[inner]
        except (LookupError, TypeError):
            return MISSING
    return value


def as_floats(value: Any) -> Any:
    """Numbers as floats, at any depth."""
    if isinstance(value, dict):
        return {key: as_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_floats(inner) for inner in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else value


def list_lines(value: Any, end: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in str(value).split(end) if line.strip()]


def match_leaves(expected: Any, actual: Any) -> tuple[float, float]:
    """How far the expected leaves are matched, and how many there are."""
    if isinstance(expected, dict):
        pairs = [
            (inner, actual.get(key, MISSING) if isinstance(actual, dict) else MISSING)
            for key, inner in expected.items()
        ]
    elif isinstance(expected, list):
        known = actual if isinstance(actual, list) else []
        pairs = [
            (inner, known[at] if at < len(known) else MISSING) for at, inner in enumerate(expected)
        ]
    else:
        return (0.0 if actual is MISSING else _match_leaf(expected, actual)), 1.0
    matched = [match_leaves(*pair) for pair in pairs]
    return sum((one[0] for one in matched), 0.0), sum((one[1] for one in matched), 0.0)


def _match_leaf(expected: Any, actual: Any) -> float:
    if type(expected) is not type(actual):
        return 0.0
    if isinstance(expected, float):
        if math.isclose(expected, 0.0, abs_tol=_ZERO):
            return float(math.isclose(actual, 0.0, abs_tol=_ZERO))
        return max(0.0, 1 - abs(expected - actual) / abs(expected))
    if isinstance(expected, str):
        longest = max(len(expected), len(actual))
        return 1 - _count_edits(expected, actual) / longest if longest else 1.0
    return float(expected == actual)


@cache
def _count_edits(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        last, row[0] = row[0], at
        for place, wanted in enumerate(other, start=1):
            best = min(row[place] + 1, row[place - 1] + 1, last + (letter != wanted))
            last, row[place] = row[place], best
    return row[-1]


def measure_similarity(expected: Any, actual: Any) -> float:
    """The share of the expected leaves; 1 if there are none."""
    matched, total = match_leaves(expected, actual)
    return max(0.0, min(1.0, matched / total)) if total else 1.0
