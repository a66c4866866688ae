"""Two texts, or the arguments of two calls, cut so that what differs is always within sight."""

import re
from collections.abc import Iterator
from typing import Any
from unicodedata import normalize

import msgspec

from agentevals.text.json_text import encode
from agentevals.text.terminal import plain

ROOM = 80  # characters of one side
NOT_STATED = "arguments not stated"
_ABSENT = "absent"
_CONTEXT = 12  # equal characters shown before and after the part that differs
_DEPTH = 4  # levels of arguments that are compared key by key
_PATH = 40  # characters of an argument's path
_NOT_ASCII = re.compile(r"[^\x00-\x7f]|(?<= ) |^ | $")


class Difference(msgspec.Struct, frozen=True):
    """One argument that two calls do not agree on, as texts; all of them if it has no name."""

    name: str
    expected: str
    actual: str

    @property
    def is_only_there(self) -> bool:
        """Return whether nothing was expected of it."""
        return self.expected in {_ABSENT, NOT_STATED}

    def write_expected(self) -> str:
        return f"{self.name}: {self.expected}" if self.name else self.expected

    def write_actual(self) -> str:
        return f"{self.name}: {self.actual}" if self.name else self.actual


def value(argument: object) -> str:
    """Return one argument as JSON, which tells 1 from "1"."""
    return encode(argument).decode()


def cut_pair(expected: str, actual: str, room: int = ROOM) -> tuple[str, str]:
    """Return two texts that differ, each cut to the part that differs and a little around it.

    If they would look the same, what nobody sees is spelt out.
    """
    if _flatten(expected) == _flatten(actual):
        expected, actual = _spell_out(expected), _spell_out(actual)
    if max(len(expected), len(actual)) <= room:
        return expected, actual
    same = _count_same(expected, actual)
    begin = same - _CONTEXT if same > 2 * _CONTEXT else 0
    after = _count_same(expected[same:][::-1], actual[same:][::-1])
    left_out = after - _CONTEXT if after > 2 * _CONTEXT else 0
    return _cut(expected, begin, left_out, room), _cut(actual, begin, left_out, room)


def _count_same(one: str, other: str) -> int:
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _cut(text: str, begin: int, left_out: int, room: int) -> str:
    end = min(len(text) - left_out, begin + room)
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


def _flatten(text: str) -> str:
    return normalize("NFKC", plain(text, len(text)))


def _spell_out(text: str) -> str:
    return _NOT_ASCII.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def compare_arguments(
    expected: object, actual: object, room: int = ROOM
) -> tuple[list[Difference], int]:
    """Return the arguments that differ, and how many are the same."""
    if not isinstance(expected, dict) or not isinstance(actual, dict):
        written = cut_pair(_write_arguments(expected), _write_arguments(actual), room)
        return [Difference("", *written)], 0
    found = list(_compare_keys(expected, actual, "", _DEPTH, room))
    return [difference for difference in found if difference], found.count(None)


def _write_arguments(args: object) -> str:
    if args is None:
        return NOT_STATED
    return value(args) if args else f"no arguments: {value(args)}"


def _compare_keys(
    expected: dict[str, Any], actual: dict[str, Any], prefix: str, depth: int, room: int
) -> Iterator[Difference | None]:
    for key in (*expected, *(key for key in actual if key not in expected)):
        ours, theirs = expected.get(key), actual.get(key)
        name = f"{prefix}{key}"
        if key in expected and key in actual and ours == theirs:
            yield None
        elif depth and isinstance(ours, dict) and isinstance(theirs, dict):
            yield from _compare_keys(ours, theirs, f"{name}.", depth - 1, room)
        else:
            shown = cut_pair(
                value(ours) if key in expected else _ABSENT,
                value(theirs) if key in actual else _ABSENT,
                room,
            )
            name = name if len(name) <= _PATH else f"…{name[-_PATH:]}"
            yield Difference(name, *shown)
