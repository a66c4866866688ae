"""Similarity of two JSON values: the share of the expected leaves that are there."""

from typing import Any, NamedTuple

_NOTHING = 1e-12  # what counts as zero
_LONGEST = 10**10  # pairs of characters; some seconds of work


class TooLongError(ValueError):
    """Texts that would take minutes to compare."""


class Leaves(NamedTuple):
    """The number of expected leaves, and how far they were matched."""

    matched: float
    total: float

    @property
    def share(self) -> float:
        """1 where nothing was expected."""
        return max(0.0, min(1.0, self.matched / self.total)) if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.matched:g} of {self.total:g} values match"


def compare(expected: Any, actual: Any) -> Leaves:
    """The leaves of what was expected; whatever else the actual value has does not count."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return Leaves(0.0, _count_leaves(expected))
        return _add_leaves([_compare_member(value, actual, key) for key, value in expected.items()])
    if isinstance(expected, list):
        if not isinstance(actual, list):
            return Leaves(0.0, _count_leaves(expected))
        there = len(actual)
        return _add_leaves(
            [
                compare(value, actual[at]) if at < there else Leaves(0.0, _count_leaves(value))
                for at, value in enumerate(expected)
            ]
        )
    return Leaves(_compare_leaf(expected, actual), 1.0)


def count_edits(one: str, other: str) -> int:
    """Levenshtein's distance: how many characters are put in, left out or replaced.

    A column of the classic table is two big integers that say where it rises and where it falls
    (Myers, "A fast bit-vector algorithm for approximate string matching", 1999).
    """
    if len(one) * len(other) > _LONGEST:
        msg = f"the texts are too long to be compared: {len(one):,} and {len(other):,} characters"
        raise TooLongError(msg)
    if not one:
        return len(other)
    everything, last, distance = (1 << len(one)) - 1, 1 << (len(one) - 1), len(one)
    places = _map_letters(one)
    rises, falls = everything, 0
    for letter in other:
        here = places.get(letter, 0)
        carried = (((here & rises) + rises) ^ rises) | here
        up, down = falls | ~(carried | rises) & everything, rises & carried
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & everything, down << 1 & everything
        rises, falls = down | ~(here | falls | up) & everything, up & (here | falls)
    return distance


def _map_letters(text: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for at, letter in enumerate(text):
        places[letter] = places.get(letter, 0) | 1 << at
    return places


def _compare_member(value: Any, actual: dict[str, Any], key: str) -> Leaves:
    return compare(value, actual[key]) if key in actual else Leaves(0.0, _count_leaves(value))


def _add_leaves(found: list[Leaves]) -> Leaves:
    return Leaves(sum((f.matched for f in found), 0.0), sum((f.total for f in found), 0.0))


def _count_leaves(value: Any) -> float:
    if isinstance(value, dict):
        return sum(map(_count_leaves, value.values()), 0.0)
    if isinstance(value, list):
        return sum(map(_count_leaves, value), 0.0)
    return 1.0


def _compare_leaf(expected: Any, actual: Any) -> float:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return float(expected is actual)
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return _compare_numbers(expected, actual)
    if isinstance(expected, str) and isinstance(actual, str):
        return _compare_texts(expected, actual)
    alike = type(expected) is type(actual)
    return float(alike and str(expected) == str(actual))


def _compare_numbers(expected: float, actual: float) -> float:
    if expected == 0:
        return float(abs(actual) <= _NOTHING)
    try:
        share = 1 - abs(expected - actual) / abs(expected)
    except OverflowError:
        return 0.0
    return max(0.0, min(1.0, share)) if share == share else 0.0  # noqa: PLR0124 -- NaN


def _compare_texts(expected: str, actual: str) -> float:
    longest = max(len(expected), len(actual))
    if expected == actual or not longest:
        return 1.0
    return 1 - count_edits(expected, actual) / longest
