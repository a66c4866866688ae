"""JSON and JSON Lines: fast when all is well, with the place of every value when asked for."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]  # public in all but its stub
from math import isfinite
from typing import Any, NoReturn

from agentevals.files.document_places import (
    DEEPEST,
    Key,
    Node,
    UnreadableError,
    describe_double,
    quote,
    refuse_depth,
)
from agentevals.model.errors import Extent, Problem, point

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None}
_WORD = re.compile(r"[\w+-]+|\S?")
_SPACE = re.compile(r"[ \t\n\r]*")
_read_value = json.JSONDecoder().raw_decode


def load(text: str) -> Any:
    """Return the value, or raise a ValueError: `scan` then finds what is wrong, and where."""
    try:
        value = json.loads(
            text, object_pairs_hook=_refuse_twins, parse_constant=_refuse, parse_float=_parse_float
        )
    except RecursionError as error:
        raise ValueError from error
    _check_depth(value)
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()  # half a character is a UnicodeEncodeError
    return value


def load_lines(text: str) -> list[Any]:
    """Return the value of every line that is not blank."""
    return [load(line) for line in text.split("\n") if line.strip()]


def scan(text: str, first_line: int = 1) -> tuple[Any, Node, list[Problem]]:
    """Return the value with its places, and everything that is wrong with it; slow."""
    scanner = _Scanner(text, first_line)
    try:
        value, node = scanner.read_document()
    except UnreadableError as error:
        value, node = None, Node(point(first_line, 1))
        scanner.problems.append(error.problem)
    return value, node, scanner.problems


def scan_lines(text: str) -> tuple[list[Any], Node, list[Problem]]:
    """Scan one value on each line."""
    values: list[Any] = []
    root, problems = Node(point(1, 1)), list[Problem]()
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            value, root.children[len(values)], wrong = scan(line, number)
            values.append(value)
            problems += wrong
    return values, root, problems


def open_places(text: str, first_line: int = 1) -> Node:
    """Return the places in a text that `load` has read; each is worked out when it is looked up."""
    return _Unopened(_Lines(text, first_line), _skip_space(text, 0))


def open_places_of_lines(text: str) -> Node:
    """Return the places in a text that `load_lines` has read."""
    root = Node(point(1, 1))
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            root.children[len(root.children)] = open_places(line, number)
    return root


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _parse_float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError
    return number


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return
    raise ValueError


class _Lines:
    """A text, and where its lines begin."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text, self._first_line = text, first_line
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def locate(self, at: int) -> Extent:
        """Return line and column of a character."""
        line = bisect_right(self._starts, at) - 1
        return point(line + self._first_line, at - self._starts[line] + 1)


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


class _Unopened(Node):
    """The place of a value in well-formed JSON, which is read when somebody looks into it."""

    __slots__ = ("_at", "_lines")

    def __init__(self, lines: _Lines, at: int) -> None:
        super().__init__(lines.locate(at))
        self._lines, self._at = lines, at

    def find(self, where: Sequence[Key]) -> Node:
        """Return the node at a path, or the nearest one above it that exists."""
        if not self.children:
            self._open()
        return super().find(where)

    def _open(self) -> None:
        text, kind = self._lines.text, self._lines.text[self._at]
        at = _skip_space(text, self._at + 1)
        while kind in "{[" and text[at] not in "}]":
            key: Key = len(self.children)
            if kind == "{":
                place = self._lines.locate(at)
                name, at = scanstring(text, at + 1, True)
                self.keys[name], key = place, name
                at = _skip_space(text, _skip_space(text, at) + 1)
            self.children[key] = _Unopened(self._lines, at)
            at = _skip_space(text, _read_value(text, at)[1])
            at = _skip_space(text, at + 1) if text[at] == "," else at


class _Scanner:
    """Reads one text from left to right. Recursive, which the limit on depth makes safe."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text, self._at = text, 0
        self._locate = _Lines(text, first_line).locate
        self.problems: list[Problem] = []

    def read_document(self) -> tuple[Any, Node]:
        value, node = self._read_value(0)
        if self._peek():
            self._fail(f"expected the end, found {self._name_next()}")
        return value, node

    def _fail(self, message: str, at: int | None = None) -> NoReturn:
        place = self._locate(self._at if at is None else at)
        raise UnreadableError(Problem(message=f"not valid JSON: {message}", at=place))

    def _name_next(self) -> str:
        match = _WORD.match(self._text, self._at)
        return quote(match.group(), 20) if match and match.group() else "the end"

    def _peek(self) -> str:
        """Return the next character that is not a space; empty at the end."""
        self._at = _skip_space(self._text, self._at)
        return self._text[self._at : self._at + 1]

    def _read_value(self, depth: int) -> tuple[Any, Node]:
        start = self._peek()
        node = Node(self._locate(self._at))
        if start and start in "{[":
            if depth >= DEEPEST:
                raise refuse_depth(node.extent)
            return (self._read_object if start == "{" else self._read_array)(node, depth), node
        return self._read_string() if start == '"' else self._read_scalar(node), node

    def _read_object(self, node: Node, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in self._walk_items("}"):
            if self._peek() != '"':
                self._fail(f"expected a key in double quotes, found {self._name_next()}")
            place = self._locate(self._at)
            key = self._read_string()
            if key in node.keys:
                self.problems.append(describe_double(key, node.keys[key], place))
            node.keys.setdefault(key, place)
            if self._peek() != ":":
                self._fail(f"expected ':' after the key {quote(key)}, found {self._name_next()}")
            self._at += 1
            found[key], node.children[key] = self._read_value(depth + 1)
        return found

    def _read_array(self, node: Node, depth: int) -> list[Any]:
        found: list[Any] = []
        for index in self._walk_items("]"):
            value, node.children[index] = self._read_value(depth + 1)
            found.append(value)
        return found

    def _walk_items(self, end: str) -> Iterator[int]:
        """Yield wherever an item of an array or an object has to begin."""
        self._at += 1
        index = 0
        while self._peek() != end or index:
            yield index
            index += 1
            mark, at = self._peek(), self._at
            if mark == end:
                break
            if mark != ",":
                self._fail(f"expected ',' or '{end}', found {self._name_next()}")
            self._at += 1
            if self._peek() == end:
                self._fail(f"a comma too many before '{end}'", at)
        self._at += 1

    def _read_string(self) -> str:
        start = self._at
        try:
            value, self._at = scanstring(self._text, self._at + 1, True)
        except json.JSONDecodeError as error:
            self._fail(error.msg.lower().removesuffix(" starting at"), error.pos)
        try:
            value.encode()
        except UnicodeEncodeError:
            self._fail(f"half a character in {quote(value)}", start)
        return str(value)

    def _read_scalar(self, node: Node) -> Any:
        if match := _NUMBER.match(self._text, self._at):
            self._at = match.end()
            return self._read_number(match, node)
        match = _WORD.match(self._text, self._at)
        word = match.group() if match else ""
        if word not in _WORDS:
            self._fail(f"expected a value, found {self._name_next()}")
        self._at += len(word)
        return _WORDS[word]

    def _read_number(self, match: re.Match[str], node: Node) -> float | None:
        digits = match.group()
        try:
            return _parse_float(digits) if match.group(1) or match.group(2) else int(digits)
        except ValueError:
            message = f"the number {quote(digits, 20)} is too large"
            self.problems.append(Problem(message=message, at=node.extent))
            return None
