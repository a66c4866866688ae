"""Expected and actual tool calls, lined up so that a difference can be seen."""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from agentevals.model.results import Result
from agentevals.text.json_ import encode
from agentevals.text.terminal import plain

_CONTEXT = 3  # equal calls shown before the first that differs, where there are many
_COMPARED = 100  # calls of one turn that are lined up; the rest is only counted
_DEPTH = 4  # levels of arguments that are compared key by key
_CALL = 400  # characters of a call on one line
_BEFORE = 12  # characters shown before the first one that differs
NOT_STATED = "arguments not stated"


class Call(msgspec.Struct, frozen=True):
    """A call as a comparison holds it; `args` is None where they are not stated."""

    name: str
    args: Any = None


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
    """An expected call, the actual one that stands for it, or one of them alone."""

    kind: Kind
    expected: Call | None = None
    actual: Call | None = None


class Alignment(NamedTuple):
    """Rows to show, how many equal calls come before them, and how many calls after them."""

    rows: list[Row]
    before: int
    left_out: int


class Difference(msgspec.Struct, frozen=True):
    """One argument that two calls do not agree on, as texts."""

    expected: str
    actual: str


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
    shown = slice(before, before + _COMPARED)
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
    return Alignment(_mark_moves(rows), before, left_out)


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


def write_call(call: Call) -> str:
    """Write a call as people do: `search(q: "x")`."""
    if call.args is None:
        return f"{call.name} ({NOT_STATED})"
    if not isinstance(call.args, dict):
        return f"{call.name}({value(call.args)})"
    return f"{call.name}({', '.join(f'{key}: {value(arg)}' for key, arg in call.args.items())})"


def write_diff(comparison: Comparison, write: Callable[[Call], str] = write_call) -> Iterator[str]:
    """Yield both sides as one diff: expected calls after `-`, actual ones after `+`."""
    rows, before, left_out = align(comparison)
    if before:
        yield f"# {before:,} calls before are the same"
    for row in rows:
        if row.expected and row.kind is not Kind.SAME:
            yield f"- {plain(write(row.expected), _CALL)}"
        if row.actual:
            sign = " " if row.kind is Kind.SAME else "+"
            yield f"{sign} {plain(write(row.actual), _CALL)}"
    if left_out:
        yield f"# and {left_out:,} calls more"


def value(argument: object) -> str:
    """Return one argument as JSON, which tells 1 from "1"."""
    return encode(argument).decode()


def differences(expected: object, actual: object) -> tuple[list[Difference], int]:
    """Return the arguments that differ, and how many are the same."""
    if not isinstance(expected, dict) or not isinstance(actual, dict):
        return [Difference(expected=_write_arguments(expected), actual=_write_arguments(actual))], 0
    found = list(_compare_keys(expected, actual, "", _DEPTH))
    return [difference for difference in found if difference], found.count(None)


def _write_arguments(args: object) -> str:
    if args is None:
        return NOT_STATED
    return value(args) if args else f"no arguments: {value(args)}"


def _compare_keys(
    expected: dict[str, Any], actual: dict[str, Any], prefix: str, depth: int
) -> Iterator[Difference | None]:
    for key in (*expected, *(key for key in actual if key not in expected)):
        ours, theirs = expected.get(key), actual.get(key)
        name = f"{prefix}{key}"
        if key in expected and key in actual and ours == theirs:
            yield None
        elif depth and isinstance(ours, dict) and isinstance(theirs, dict):
            yield from _compare_keys(ours, theirs, f"{name}.", depth - 1)
        else:
            shown = _cut_before_difference(
                value(ours) if key in expected else "absent",
                value(theirs) if key in actual else "absent",
            )
            yield Difference(expected=f"{name}: {shown[0]}", actual=f"{name}: {shown[1]}")


def _cut_before_difference(expected: str, actual: str) -> tuple[str, str]:
    """Cut two long texts so that the first thing that differs is near the front."""
    common = next(
        (at for at, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1]),
        min(len(expected), len(actual)),
    )
    if common <= 2 * _BEFORE:
        return expected, actual
    return f"…{expected[common - _BEFORE :]}", f"…{actual[common - _BEFORE :]}"
