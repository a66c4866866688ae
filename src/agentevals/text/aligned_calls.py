"""Expected and actual tool calls, lined up so that a difference can be seen."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from agentevals.model.results import Result
from agentevals.text import text_differences
from agentevals.text.json_text import shorten
from agentevals.text.terminal import plain
from agentevals.text.text_differences import NOT_STATED

_CONTEXT = 3  # equal calls shown before the first that differs, where there are many
COMPARED = 100  # calls of one turn that are lined up; the rest is only counted
_CALL = 400  # characters of a call on one line
_SHORT = 100  # characters of a call that is written with all its arguments
_ARGUMENTS = 5  # differing arguments of a call on one line
_ELSEWHERE = "  # in another place"


@dataclass(frozen=True)
class Call:
    """A call as a comparison holds it; `args` is None where they are not stated.

    The `agent` of a call is named if it is another than the turn's. Two calls are equal without it.
    """

    name: str
    args: Any = None
    agent: str = field(default="", compare=False)


class Comparison(msgspec.Struct, frozen=True):
    """The calls that one turn should have made, and those that it made."""

    invocation_id: str | None = None
    expected: list[Call] = []
    actual: list[Call] = []
    matched: bool = True


class Kind(StrEnum):
    """The relation of two calls; the value is the sign in front of them."""

    SAME = "="
    CHANGED = "≠"
    MISSING = "-"
    EXTRA = "+"
    MOVED = "~"


class Row(msgspec.Struct, frozen=True):
    """An expected call, the actual one that stands for it, or one of them alone.

    Two that differ may have been found in another place each.
    """

    kind: Kind
    expected: Call | None = None
    actual: Call | None = None
    elsewhere: bool = False


class Alignment(NamedTuple):
    """Rows to show, how many equal calls come before them, and how many calls after them."""

    rows: list[Row]
    before: int
    left_out: int


def comparisons(result: Result) -> tuple[Comparison, ...]:
    """Return the comparisons in a result's details; none if they have another shape."""
    try:
        return msgspec.convert(result.details.get("comparisons", ()), tuple[Comparison, ...])
    except msgspec.ValidationError:
        return ()


def mismatches(result: Result) -> list[tuple[int, Comparison]]:
    """Return the turns, counted from 1, whose calls were not the expected ones."""
    turns = enumerate(comparisons(result), start=1)
    return [(turn, compared) for turn, compared in turns if not compared.matched]


def align(comparison: Comparison) -> Alignment:
    """Return both sides next to each other, from shortly before the first difference on."""
    pairs = enumerate(zip(comparison.expected, comparison.actual, strict=False))
    shorter = min(len(comparison.expected), len(comparison.actual))
    same = next((at for at, (wanted, found) in pairs if wanted != found), shorter)
    before = same - _CONTEXT if same > 2 * _CONTEXT else 0
    shown = slice(before, before + COMPARED)
    expected, actual = comparison.expected[shown], comparison.actual[shown]
    given = len(comparison.expected) + len(comparison.actual)
    left_out = given - 2 * before - len(expected) - len(actual)
    rows: list[Row] = []
    for tag, e1, e2, a1, a2 in _match(expected, actual):
        if tag == "equal":
            equal = zip(expected[e1:e2], actual[a1:a2], strict=True)
            rows += [Row(kind=Kind.SAME, expected=e, actual=a) for e, a in equal]
        else:
            rows += _pair_calls(expected[e1:e2], actual[a1:a2])
    return Alignment(_pair_names(_mark_moves(rows)), before, left_out)


def _match(expected: list[Call], actual: list[Call]) -> Sequence[tuple[str, int, int, int, int]]:
    """Compare by value: calls are not hashable, so each gets the number of its equals."""
    known: list[Call] = []
    numbers: list[int] = []
    for call in (*expected, *actual):
        if call not in known:
            known.append(call)
        numbers.append(known.index(call))
    here, there = numbers[: len(expected)], numbers[len(expected) :]
    return SequenceMatcher(None, here, there, autojunk=False).get_opcodes()


def _pair_calls(expected: Sequence[Call], actual: Sequence[Call]) -> Iterator[Row]:
    """Pair the calls between two equal ones: those of one name, the others stand alone."""
    begin = 0
    for call in expected:
        names = [other.name for other in actual[begin:]]
        if call.name not in names:
            yield Row(kind=Kind.MISSING, expected=call)
            continue
        found = begin + names.index(call.name)
        yield from (Row(kind=Kind.EXTRA, actual=extra) for extra in actual[begin:found])
        yield Row(kind=Kind.CHANGED, expected=call, actual=actual[found])
        begin = found + 1
    yield from (Row(kind=Kind.EXTRA, actual=extra) for extra in actual[begin:])


def _mark_moves(rows: list[Row]) -> list[Row]:
    """Mark moves: a call that is missing here and extra there was made in another place."""
    extra = [row.actual for row in rows if row.kind is Kind.EXTRA]
    moved: list[Call] = []
    for row in rows:
        if row.kind is Kind.MISSING and row.expected is not None and row.expected in extra:
            extra.remove(row.expected)
            moved.append(row.expected)
    remaining = moved + moved
    return [_mark_move(row, remaining) for row in rows]


def _mark_move(row: Row, remaining: list[Call]) -> Row:
    alone = row.kind in (Kind.MISSING, Kind.EXTRA)
    call = row.expected or row.actual
    if not alone or call is None or call not in remaining:
        return row
    remaining.remove(call)
    return Row(kind=Kind.MOVED, expected=row.expected, actual=row.actual)


def _pair_names(rows: list[Row]) -> list[Row]:
    """Pair a call that is missing with one of its name that is extra, wherever that is."""
    extra = [row for row in rows if row.kind is Kind.EXTRA]
    paired: dict[int, Row] = {}
    for at, row in enumerate(rows):
        if row.kind is Kind.MISSING and row.expected:
            name = row.expected.name
            found = next((one for one in extra if one.actual and one.actual.name == name), None)
            if found:
                extra.remove(found)
                paired[at] = Row(Kind.CHANGED, row.expected, found.actual, elsewhere=True)
    left = [id(row) for row in extra]
    return [
        paired.get(at, row)
        for at, row in enumerate(rows)
        if row.kind is not Kind.EXTRA or id(row) in left
    ]


def write_call(call: Call, longest: int = 10**9) -> str:
    """Write a call as people do: `search(q: "x")`; `longest` is how long a value may be."""
    return name_agent(_write_call(call, longest), call.agent)


def _write_call(call: Call, longest: int) -> str:
    if call.args is None:
        return f"{call.name} ({NOT_STATED})"
    if not isinstance(call.args, dict):
        return f"{call.name}({shorten(call.args, longest)})"
    args = (f"{key}: {shorten(arg, longest)}" for key, arg in call.args.items())
    return f"{call.name}({', '.join(args)})"


def name_agent(written: str, agent: str) -> str:
    """Return a call that is written out, with its agent if that is another than the turn's."""
    return f"{written} by {agent}" if agent else written


def write_row(row: Row) -> tuple[str, str]:
    """Write both calls; of long ones that differ, only the arguments that do."""
    sides = tuple(write_call(call) if call else "" for call in (row.expected, row.actual))
    is_short = max(map(len, sides)) <= _SHORT and len(set(map(plain, sides))) > 1
    if row.kind is not Kind.CHANGED or is_short or not row.expected or not row.actual:
        return plain(sides[0], _CALL), plain(sides[1], _CALL)
    found, same = text_differences.compare_arguments(row.expected.args, row.actual.args)
    shown = found[:_ARGUMENTS]
    rest = ["…"] if same or len(found) > len(shown) else []
    expected = ", ".join([*(one.write_expected() for one in shown), *rest])
    actual = ", ".join([*(one.write_actual() for one in shown), *rest])
    name = row.expected.name
    made = name_agent(f"{name}({actual})", row.actual.agent)
    return plain(f"{name}({expected})", _CALL), plain(made, _CALL)


def write_sides(comparison: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the expected and the actual calls so that no two that differ look the same."""
    written = [write_row(row) for row in align(comparison).rows]
    expected, actual = zip(*written, strict=True) if written else ((), ())
    return tuple(filter(None, expected)), tuple(filter(None, actual))


def write_diff(
    comparison: Comparison, write: Callable[[Row], tuple[str, str]] = write_row
) -> Iterator[str]:
    """Yield both sides as one diff: expected calls after `-`, actual ones after `+`."""
    rows, before, left_out = align(comparison)
    if before:
        yield f"# {before:,} calls before are the same"
    for row in rows:
        expected, actual = write(row)
        if row.kind is Kind.SAME:
            yield f"  {actual}"
            continue
        yield from [f"- {expected}"] if row.expected else []
        yield from [f"+ {actual}{_ELSEWHERE if row.elsewhere else ''}"] if row.actual else []
    if left_out:
        yield f"# and {left_out:,} calls more"
