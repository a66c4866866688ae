"""The comparison of the tools that an agent called with those that were expected."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from math import isnan
from typing import Any

from agentevals.model.conversations import ToolCall

Agrees = Callable[[ToolCall, ToolCall], bool]


class MatchType(StrEnum):
    """The order that counts, and the tolerance of further calls."""

    EXACT = "EXACT"
    IN_ORDER = "IN_ORDER"
    ANY_ORDER = "ANY_ORDER"


class ArgsMatch(StrEnum):
    """The comparison of the arguments of a call."""

    EXACT = "exact"
    SUBSET = "subset"
    IGNORE = "ignore"


def matches(
    expected: Sequence[ToolCall],
    actual: Sequence[ToolCall],
    match_type: MatchType,
    args_match: ArgsMatch,
) -> bool:
    """Return whether the calls are the expected ones. Ids and responses do not count."""

    def agrees(wanted: ToolCall, found: ToolCall) -> bool:
        return wanted.name == found.name and are_args_equal(wanted.args, found.args, args_match)

    if len(expected) > len(actual):
        return False
    if match_type is MatchType.EXACT:
        return len(expected) == len(actual) and all(map(agrees, expected, actual))
    if match_type is MatchType.IN_ORDER:
        calls = iter(actual)
        return all(any(agrees(wanted, found) for found in calls) for wanted in expected)
    return _Assignment(expected, actual, agrees).is_complete()


def are_args_equal(expected: Any, actual: Any, how: ArgsMatch) -> bool:
    """Compare as Python does (1 is 1.0 and True), but NaN with NaN is equal; at any depth.

    Arguments that are not stated differ from `{}`; as a subset they allow everything.
    """
    if how is ArgsMatch.IGNORE or (how is ArgsMatch.SUBSET and expected is None):
        return True
    return _is_same(expected, actual) or _agree(expected, actual, how)


def _agree(expected: Any, actual: Any, how: ArgsMatch) -> bool:
    """Compare value by value: NaN is equal to NaN, and a subset may be enough."""
    pending = [(expected, actual)]
    while pending:
        wanted, found = pending.pop()
        if isinstance(wanted, dict) and isinstance(found, dict):
            if not _has_keys(wanted, found, how):
                return False
            pending.extend((value, found[key]) for key, value in wanted.items())
        elif isinstance(wanted, list) and isinstance(found, list):
            if len(wanted) != len(found):
                return False
            pending.extend(zip(wanted, found, strict=True))
        elif wanted != found and not (_is_nan(wanted) and _is_nan(found)):
            return False
    return True


def _is_same(expected: Any, actual: Any) -> bool:
    """Return whether Python finds no difference: then there is none."""
    try:
        return bool(expected == actual)
    except RecursionError:
        return False


def _has_keys(wanted: dict[str, Any], found: dict[str, Any], how: ArgsMatch) -> bool:
    if how is ArgsMatch.SUBSET:
        return wanted.keys() <= found.keys()
    return wanted.keys() == found.keys()


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and isnan(value)


class _Assignment:
    """Gives each expected call an actual call of its own, moving earlier choices if it must.

    First come, first served would be wrong as soon as one call may stand for several
    expectations, as it may when only some of its arguments are stated.
    """

    def __init__(
        self, expected: Sequence[ToolCall], actual: Sequence[ToolCall], agrees: Agrees
    ) -> None:
        self._expected, self._actual, self._agrees = expected, actual, agrees
        self._places: defaultdict[str, deque[int]] = defaultdict(deque)
        for place, call in enumerate(actual):
            self._places[call.name].append(place)
        self._place_of: dict[int, int] = {}
        self._taken_by: dict[int, int] = {}

    def is_complete(self) -> bool:
        return all(self._assign(wanted) for wanted in range(len(self._expected)))

    def _assign(self, newcomer: int) -> bool:
        wanted_by: dict[int, int] = {}
        queue = [newcomer]
        for wanted in queue:  # grows while it is walked
            for place in self._list_candidates(wanted):
                if place in wanted_by:
                    continue
                wanted_by[place] = wanted
                if place not in self._taken_by:
                    self._move(place, wanted_by)
                    return True
                queue.append(self._taken_by[place])
        return False

    def _list_candidates(self, wanted: int) -> Iterator[int]:
        """Try those after the last one that agreed first: most calls come in the same order."""
        call = self._expected[wanted]
        places = self._places[call.name]
        for _ in range(len(places)):
            place = places[0]
            places.rotate(-1)
            if self._agrees(call, self._actual[place]):
                yield place

    def _move(self, place: int | None, wanted_by: dict[int, int]) -> None:
        while place is not None:
            wanted = wanted_by[place]
            self._taken_by[place] = wanted
            left = self._place_of.get(wanted)
            self._place_of[wanted] = place
            place = left
