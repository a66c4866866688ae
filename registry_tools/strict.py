"""The YAML of a manifest: so little of it that every reader of YAML reads the same.

Values and places come from the events of libyaml's parser; its composer is recursive in C and
crashes on deep nesting.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import yaml

from agentevals.documents.places import Key, quoted
from registry_tools.finding import Edit
from registry_tools.places import BEGIN, PARSER, Extent, Node, extent_of, locate
from registry_tools.scalars import AMBIGUOUS, plain_value

LARGEST = 64 << 10  # bytes
DEEPEST = 32  # levels
MOST_FAULTS = 100  # of one manifest; more of them help nobody

ENCODING, SIZE, SYNTAX = "encoding", "size", "yaml"
REFERENCES, DUPLICATE, SCALAR = "yaml-references", "duplicate-key", "ambiguous-scalar"
LINES, COMMENT = "line-endings", "comment-in-text"


class Unread:
    """What stands where a value could not be read; its own finding says why."""

    def __repr__(self) -> str:
        return "(unread)"


UNREAD: Final = Unread()
_MERGE: Final = "<<"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with how a manifest is written, and which rule says so."""

    rule: str
    message: str
    extent: Extent = BEGIN
    fix: str = ""
    edit: Edit | None = None


@dataclass(frozen=True)
class Document:
    """What a manifest says, and what is wrong with how it says it."""

    text: str
    value: Any = UNREAD
    faults: tuple[Fault, ...] = ()

    @cached_property
    def _root(self) -> Node:
        return locate(self.text)

    def extent(self, where: Sequence[Key] = (), *, key: bool = False) -> Extent:
        """Where the value at a path stands, or its key, or what is around it."""
        if key and where:
            found = self._root.find(where[:-1]).keys.get(str(where[-1]))
            if found is not None:
                return found
        return self._root.find(where).extent

    def is_plain(self, where: Sequence[Key]) -> bool:
        """Whether a value is written without quotes."""
        return self._root.find(where).plain

    def as_written(self, where: Sequence[Key]) -> str:
        """The text of a value in the file, quotes included."""
        extent = self.extent(where)
        return self.text[extent.start : extent.end]


def read(content: bytes, largest: int = LARGEST) -> Document:
    """The document in a file, as far as it can be read, with everything that is wrong with it."""
    if len(content) > largest:
        message = f"the file has more than {largest:,} bytes"
        return Document("", faults=(Fault(SIZE, message, fix="move what is long into a file"),))
    text, faults = _decoded(content)
    if text is None:
        return Document("", faults=tuple(faults))
    reader = _Reader(text, faults)
    try:
        reader.run()
    except _StopError as stop:
        faults.append(stop.fault)
    except yaml.MarkedYAMLError as error:
        faults.append(_syntax(error, text))
    except (yaml.reader.ReaderError, UnicodeEncodeError):
        faults.append(_unprintable(text))
    if reader.value is UNREAD and not faults:
        faults.append(Fault(SYNTAX, "there is nothing in the file", fix="write the manifest"))
    return Document(text, reader.value, tuple(faults))


def _decoded(content: bytes) -> tuple[str | None, list[Fault]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        extent = Extent(line, column, line, column)
        return None, [Fault(ENCODING, "this is not UTF-8 text", extent, "save the file as UTF-8")]
    faults = []
    if text.startswith("\ufeff"):
        message = "the file begins with a byte order mark"
        faults.append(Fault(ENCODING, message, fix="save it without one", edit=Edit(0, 0, "")))
        text = text[1:]
    if "\r" in text:
        faults.append(_line_ends(text))
    return text, faults


def _line_ends(text: str) -> Fault:
    at = text.index("\r")
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    extent = Extent(line, column, line, column, at, at + 1)
    message = "lines end as on Windows; another checkout gives the file another hash"
    return Fault(LINES, message, extent, "save it with LF line ends", Edit(0, 0, ""))


class _StopError(Exception):
    """A fault after which nothing more can be read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class _Open:
    """A list or a mapping that is being read. `dropped` is a key that is there already."""

    value: Any
    is_map: bool
    key: str | None = None
    dropped: bool = False


@dataclass(slots=True)
class _Reader:
    """Puts the events together, and collects what is wrong with them."""

    text: str
    faults: list[Fault]
    value: Any = UNREAD
    _open: list[_Open] = field(default_factory=list)
    _inner: _Open | None = None
    _documents: int = 0
    _places: Node | None = None

    def run(self) -> None:
        """Until the end of the text, or the first thing after which nothing makes sense."""
        loader = PARSER(self.text)
        take, scalar, handlers, faults = loader.get_event, self.scalar, _HANDLERS, self.faults
        try:
            while (event := take()) is not None and len(faults) < MOST_FAULTS:
                if type(event) is yaml.ScalarEvent:
                    scalar(event)
                elif (handle := handlers.get(type(event))) is not None:
                    handle(self, event)
        finally:
            loader.dispose()

    def document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            message = "a second YAML document starts here"
            raise _StopError(Fault(SYNTAX, message, extent_of(event), "keep one in the file"))

    def scalar(self, event: Any) -> None:
        text = value = event.value
        if event.tag is not None or event.anchor is not None:
            self._refuse(event)
        if not event.style and event.implicit[0]:
            value = plain_value(text)
            if value is AMBIGUOUS:
                value = self._misread(event)
        inner = self._inner
        if inner is None:
            self.value = value
        elif not inner.is_map:
            inner.value.append(value)
        elif inner.key is None:
            self._key(inner, event, value)
        else:
            self._set(inner, value)

    def start(self, event: Any) -> None:
        if self._wants_key():
            message = "a key must be text, not a list or a mapping"
            raise _StopError(Fault(SYNTAX, message, extent_of(event), "write a word there"))
        if len(self._open) >= DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            raise _StopError(Fault(SYNTAX, message, extent_of(event), "flatten it"))
        if event.anchor is not None or event.tag is not None:
            self._refuse(event)
        is_map = isinstance(event, yaml.MappingStartEvent)
        self._inner = _Open({} if is_map else [], is_map)
        self._open.append(self._inner)

    def end(self, _: Any) -> None:
        done = self._open.pop()
        self._inner = self._open[-1] if self._open else None
        self._add(done.value)

    def alias(self, event: Any) -> None:
        message = f"*{event.anchor[:40]} repeats what stands elsewhere"
        self._fault(REFERENCES, event, message, "write it out here")
        inner = self._inner
        if inner is not None and self._wants_key():
            inner.key, inner.dropped = event.anchor, True
        else:
            self._add(UNREAD)

    def _key(self, inner: _Open, event: Any, value: Any) -> None:
        """Of a key that is read in different ways, text is made."""
        key = inner.key = event.value
        inner.dropped = key in inner.value or value is _MERGE
        if value is _MERGE:
            self._fault(REFERENCES, event, "'<<' merges another mapping", "write it out here")
        elif inner.dropped:
            message = f"{quoted(key)} is here twice, first in line {self._first(key)}"
            self._fault(DUPLICATE, event, message, "remove one of them")
        elif not isinstance(value, str):
            self._misread(event)

    def _set(self, inner: _Open, value: Any) -> None:
        if not inner.dropped:
            inner.value[inner.key] = value
        inner.key = None

    def _first(self, key: str) -> int:
        """The line in which the mapping that is being read has a key already."""
        if self._places is None:
            self._places = locate(self.text)
        above = [one.key if one.key is not None else len(one.value) for one in self._open[:-1]]
        return self._places.find(above).keys[key].line

    def _add(self, value: Any) -> None:
        inner = self._inner
        if inner is None:
            self.value = value
        elif inner.is_map:
            self._set(inner, value)
        else:
            inner.value.append(value)

    def _misread(self, event: Any) -> str:
        """Readers disagree on it, so it is taken for the text that it looks like."""
        text: str = event.value
        if text == _MERGE and self._wants_key():
            return _MERGE
        message = f"{quoted(text)} without quotes is not the same for every reader of YAML"
        extent, written = extent_of(event), f'"{text}"'
        edit = Edit(extent.start, extent.end, written)
        self.faults.append(Fault(SCALAR, message, extent, f"write {written}", edit))
        return text

    def _wants_key(self) -> bool:
        inner = self._inner
        return inner is not None and inner.is_map and inner.key is None

    def _refuse(self, event: Any) -> None:
        if event.anchor is not None:
            message = f"the anchor &{event.anchor[:40]} is for repeating"
            self._fault(REFERENCES, event, message, "remove it")
        if event.tag is not None:
            message = f"the tag {quoted(event.tag)} asks for a type"
            self._fault(REFERENCES, event, message, "remove it")

    def _fault(self, rule: str, event: Any, message: str, fix: str) -> None:
        self.faults.append(Fault(rule, message, extent_of(event), fix))


_HANDLERS: dict[type[yaml.Event], Callable[[_Reader, Any], None]] = {
    yaml.DocumentStartEvent: _Reader.document,
    yaml.SequenceStartEvent: _Reader.start,
    yaml.MappingStartEvent: _Reader.start,
    yaml.SequenceEndEvent: _Reader.end,
    yaml.MappingEndEvent: _Reader.end,
    yaml.AliasEvent: _Reader.alias,
}


def _syntax(error: yaml.MarkedYAMLError, text: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.split("\n")
    if line >= len(lines):  # the parser's end lies behind the last line
        line, column = len(lines) - 1, len(lines[-1])
    extent = Extent(line + 1, column + 1, line + 1, column + 1)
    if line < len(lines) and lines[line][column : column + 1] == "\t":
        return Fault(SYNTAX, "a tab cannot indent", extent, "use spaces")
    told = " ".join(part for part in (error.problem, error.context) if part)
    return Fault(SYNTAX, f"not valid YAML: {told}", extent, _advice(lines, line))


def _advice(lines: list[str], line: int) -> str:
    """Most that is no YAML is text with a sign in it that means something."""
    said = lines[line].partition(": ")[2] if line < len(lines) else ""
    if said.lstrip()[:1] in {"@", "`", "%", "*", "&", "!", "|", ">"} or ": " in said:
        return "put the text in quotes"
    return "correct the line, or put its text in quotes"


def _unprintable(text: str) -> Fault:
    at = next((i for i, char in enumerate(text) if _NOT_YAML.match(char)), 0)
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    message = f"the character {quoted(text[at : at + 1])} is not allowed in YAML"
    return Fault(ENCODING, message, Extent(line, column, line, column + 1, at, at + 1), "remove it")


_NOT_YAML: re.Pattern[str] = yaml.reader.Reader.NON_PRINTABLE
