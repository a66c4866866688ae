"""Make a case that is wrong smaller, as long as it stays wrong in the same way."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.differential.systems import Case

_MOST = 150  # tries; each runs the real system


def shrink(case: Case, is_wrong: Callable[[Case], bool]) -> Case:
    """The smallest case that was found. One that cannot be run any more is not wrong."""
    tries = 0
    progress = True
    while progress and tries < _MOST:
        progress = False
        for smaller in _list_smaller(case.given):
            tries += 1
            candidate = replace(case, given=smaller)
            if is_wrong(candidate):
                case, progress = candidate, True
                break
            if tries >= _MOST:
                break
    return case


def _list_smaller(value: Any) -> Iterator[Any]:
    """The value with one part less, the largest parts first."""
    if isinstance(value, dict):
        yield from _shrink_object(value)
    elif isinstance(value, list):
        yield from _shrink_list(value)
    elif isinstance(value, str) and len(value) > 1:
        yield value[: len(value) // 2]
    elif type(value) in (int, float) and value not in (0, 1):
        yield from (0, 1)


def _shrink_object(value: dict[str, Any]) -> Iterator[Any]:
    for key in sorted(value, key=lambda each: -len(repr(value[each]))):
        yield {name: inner for name, inner in value.items() if name != key}
    for key, inner in value.items():
        yield from ({**value, key: smaller} for smaller in _list_smaller(inner))


def _shrink_list(value: list[Any]) -> Iterator[Any]:
    for at in range(len(value)):
        yield value[:at] + value[at + 1 :]
    for at, inner in enumerate(value):
        yield from ([*value[:at], smaller, *value[at + 1 :]] for smaller in _list_smaller(inner))
