"""Make a case that is wrong smaller, as long as it stays wrong in the same way.

Many smaller cases are tried at once: the real system costs most when it starts.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Any

from tests.differential.systems import Case

_MOST = 400  # smaller cases that are tried
_AT_ONCE = 40

Place = tuple[str | int, ...]
FindWrong = Callable[[Sequence[Case]], Sequence[bool]]


@dataclass(frozen=True)
class Edit:
    """A part of a case that is left out, or has a smaller value instead."""

    place: Place
    values: tuple[Any, ...] = ()  # the smaller one, if there is one

    def apply(self, value: Any) -> Any:
        """The value with this edit; unchanged if it has no such place any more."""
        return _change(value, self.place, self.values)


def shrink(case: Case, find_wrong: FindWrong) -> Case:
    """The smallest case that was found. One that cannot be run any more is not wrong."""
    left = _MOST
    progress = True
    while progress and left > 0:
        progress = False
        tried: set[str] = set()
        while left > 0 and (edits := list(islice(_list_new(case, tried), min(_AT_ONCE, left)))):
            left -= len(edits)
            won = _select(edits, find_wrong([_edit(case, [edit]) for edit in edits]))
            if won:
                progress = True
                case, tries = _combine(case, won, find_wrong)
                left -= tries
    return case


def _edit(case: Case, edits: Sequence[Edit]) -> Case:
    given = case.given
    for edit in sorted(edits, key=lambda each: _order(each.place), reverse=True):
        given = edit.apply(given)  # from the last place, so that numbers stay those of the others
    return replace(case, given=given)


def _order(place: Place) -> list[tuple[int, str]]:
    return [(part, "") if isinstance(part, int) else (-1, part) for part in place]


def _select(edits: Sequence[Edit], wrong: Sequence[bool]) -> list[Edit]:
    return [edit for edit, is_wrong in zip(edits, wrong, strict=True) if is_wrong]


def _combine(case: Case, edits: list[Edit], find_wrong: FindWrong) -> tuple[Case, int]:
    """As many of the edits together as leave it wrong; the first alone is known to."""
    together = list(accumulate(([edit] for edit in edits[1:]), initial=edits[:1]))
    cases = [_edit(case, each) for each in together]
    wrong = [True, *find_wrong(cases[1:])] if len(cases) > 1 else [True]
    return [one for one, is_wrong in zip(cases, wrong, strict=True) if is_wrong][-1], len(cases)


def _list_new(case: Case, tried: set[str]) -> Iterator[Edit]:
    """The edits of a case that were not tried before, by what they change; the largest first."""
    for _, edit, what in sorted(_list_edits(case.given), key=lambda each: -each[0]):
        if what not in tried:
            tried.add(what)
            yield edit


def _list_edits(value: Any, place: Place = ()) -> Iterator[tuple[int, Edit, str]]:
    """Each with the size of what it takes away, and with what it changes, wherever that lies."""
    inner = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, part in inner:
        text = json.dumps(part)
        where = ".".join(str(each) for each in (*place, key) if isinstance(each, str))
        yield len(text), Edit((*place, key)), f"{where} without {text}"
        for smaller in _list_smaller(part):
            saved = len(text) - len(json.dumps(smaller))
            yield saved, Edit((*place, key), (smaller,)), f"{where}: {text} as {smaller}"
        yield from _list_edits(part, (*place, key))


def _list_smaller(value: Any) -> Iterator[Any]:
    """Halves of a list or a text, and the plainest numbers."""
    if isinstance(value, list | str) and len(value) > 2:  # without one it was tried
        yield from (value[: len(value) // 2], value[len(value) // 2 :])
    elif isinstance(value, str) and len(value) > 1:
        yield value[:1]
    elif type(value) in (int, float) and value not in (0, 1):
        yield from (0, 1)


def _change(value: Any, place: Place, values: tuple[Any, ...]) -> Any:
    key, *rest = place
    there = isinstance(value, dict) and key in value
    if not there and not (isinstance(value, list) and isinstance(key, int) and key < len(value)):
        return value
    new = (_change(value[key], tuple(rest), values),) if rest else values
    if isinstance(value, list):
        return [*value[:key], *new, *value[key + 1 :]]
    return {k: new[0] if k == key else v for k, v in value.items() if k != key or new}
