"""YAML in which nothing means different things to different readers, as manifests are written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import yaml

from agentevals.files.document_places import Key, Node, quote
from agentevals.files.yaml_events import (
    AMBIGUOUS,
    ENCODING,
    MERGE,
    SYNTAX,
    EventReader,
    Open,
    explain,
    extent_of,
    read_plain,
)
from agentevals.files.yaml_reader import Builder, Part
from agentevals.model.errors import BEGIN, Edit, Extent, Problem, point

LARGEST = 64 << 10  # bytes
MOST_PROBLEMS = 100  # of one file

SIZE, LINES = "size", "line-endings"
REFERENCES, DUPLICATE, SCALAR = "yaml-references", "duplicate-key", "ambiguous-scalar"


class Unread:
    """Stands where a value could not be read; its own problem says why."""

    def __repr__(self) -> str:
        return "(unread)"


UNREAD: Final = Unread()


@dataclass(frozen=True)
class StrictDocument:
    """The value of a file, and what is wrong with how it is written."""

    text: str
    value: Any = UNREAD
    problems: tuple[Problem, ...] = ()

    @cached_property
    def _root(self) -> Node:
        locator = _Locator(self.text)
        locator.run()
        return locator.root.node

    def locate(self, where: Sequence[Key] = (), *, key: bool = False) -> Extent:
        """Return where the value at a path stands, or its key, or what is around it."""
        if key and where:
            found = self._root.find(where[:-1]).keys.get(str(where[-1]))
            if found is not None:
                return found
        return self._root.find(where).extent

    def is_plain(self, where: Sequence[Key]) -> bool:
        """Return whether a value is written without quotes."""
        return self._root.find(where).plain

    def get_source(self, where: Sequence[Key]) -> str:
        """Return the text of a value in the file, quotes included."""
        extent = self.locate(where)
        return self.text[extent.start : extent.end]


def read(content: bytes, largest: int = LARGEST) -> StrictDocument:
    """Return as much as can be read, with everything that is wrong with how it is written."""
    if len(content) > largest:
        message, fix = f"the file has more than {largest:,} bytes", "move what is long into a file"
        return StrictDocument("", problems=(_report(SIZE, message, BEGIN, fix),))
    text, problems = _decode(content)
    if text is None:
        return StrictDocument("", problems=tuple(problems))
    reader = _Reader(text)
    reader.problems = problems
    reader.run()
    if reader.value is UNREAD and not problems:
        message, fix = "there is nothing in the file", "write the manifest"
        problems.append(_report(SYNTAX, message, BEGIN, fix))
    return StrictDocument(text, reader.value, tuple(problems))


def _report(rule: str, message: str, at: Extent, fix: str, edit: Edit | None = None) -> Problem:
    return Problem(rule=rule, message=message, at=at, fix=fix, edit=edit)


def _decode(content: bytes) -> tuple[str | None, list[Problem]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        at = point(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        return None, [_report(ENCODING, "this is not UTF-8 text", at, "save the file as UTF-8")]
    problems = []
    if text.startswith("\ufeff"):
        message, fix = "the file begins with a byte order mark", "save it without one"
        problems.append(_report(ENCODING, message, BEGIN, fix, Edit(0, 0, "")))
        text = text[1:]
    if "\r" in text:
        problems.append(_refuse_line_ends(text))
    return text, problems


def _refuse_line_ends(text: str) -> Problem:
    at = text.index("\r")
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    extent = Extent(line, column, line, column, at, at + 1)
    message = "lines end as on Windows; another checkout gives the file another hash"
    return _report(LINES, message, extent, "save it with LF line ends", Edit(0, 0, ""))


@dataclass(slots=True)
class _Part(Open):
    lines: dict[str, int] = field(default_factory=dict)


class _Reader(EventReader[_Part]):
    """Builds the value alone: places are worked out when somebody asks for one."""

    deepest = 32
    most_problems = MOST_PROBLEMS
    one_document = "keep one in the file"
    word_wanted = "write a word there"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.value: Any = UNREAD

    def read_scalar(self, event: Any) -> None:
        value = event.value
        if event.tag is not None or event.anchor is not None:
            self._refuse(event)
        if not event.style and event.implicit[0]:
            value = read_plain(value)
            if value is AMBIGUOUS:
                value = self._misread(event)
        inner = self._inner
        if inner is not None and inner.is_map and inner.key is None:
            self._set_key(inner, event, value)
        else:
            self._add(value)

    def open_part(self, event: Any) -> _Part:
        if event.anchor is not None or event.tag is not None:
            self._refuse(event)
        is_map = isinstance(event, yaml.MappingStartEvent)
        return _Part({} if is_map else [], is_map)

    def add_part(self, part: _Part, _: Any) -> None:
        self._add(part.value)

    def read_alias(self, event: Any) -> None:
        message = f"*{event.anchor[:40]} repeats what stands elsewhere"
        self._report(REFERENCES, event, message, "write it out here")
        inner = self._inner
        if inner is not None and self.wants_key():
            inner.key, inner.dropped = event.anchor, True
        else:
            self._add(UNREAD)

    def describe_syntax(self, error: yaml.MarkedYAMLError, lines: list[str]) -> Problem:
        words, line, column = explain(error)
        if line >= len(lines):  # the parser's end lies behind the last line
            line, column = len(lines) - 1, len(lines[-1])
        at = point(line + 1, column + 1)
        if lines[line][column : column + 1] == "\t":
            return self.describe(SYNTAX, "a tab cannot indent", at, "use spaces")
        advice = _ESCAPED if "escape" in words else _advise(lines[line])
        return self.describe(SYNTAX, f"not valid YAML: {words}", at, advice)

    def _set_key(self, inner: _Part, event: Any, value: Any) -> None:
        """Take a key that is read in different ways as text."""
        key = inner.key = event.value
        inner.dropped = key in inner.value or value is MERGE
        if value is MERGE:
            self._report(REFERENCES, event, "'<<' merges another mapping", "write it out here")
        elif inner.dropped:
            message = f"{quote(key)} is here twice, first in line {inner.lines[key]}"
            self._report(DUPLICATE, event, message, "remove one of them")
        else:
            inner.lines[key] = event.start_mark.line + 1
            if not isinstance(value, str):
                self._misread(event)

    def _add(self, value: Any) -> None:
        if self._inner is None:
            self.value = value
        else:
            self.put(value)

    def _misread(self, event: Any) -> str:
        """Report a word that readers disagree on, and take it as text."""
        text: str = event.value
        if text == MERGE and self.wants_key():
            return MERGE
        message = f"{quote(text)} without quotes is not the same for every reader of YAML"
        extent, written = extent_of(event), f'"{text}"'
        edit = Edit(extent.start, extent.end, written)
        self.problems.append(_report(SCALAR, message, extent, f"write {written}", edit))
        return text

    def _refuse(self, event: Any) -> None:
        if event.anchor is not None:
            message = f"the anchor &{event.anchor[:40]} is for repeating"
            self._report(REFERENCES, event, message, "remove it")
        if event.tag is not None:
            message = f"the tag {quote(event.tag)} asks for a type"
            self._report(REFERENCES, event, message, "remove it")

    def _report(self, rule: str, event: Any, message: str, fix: str) -> None:
        self.problems.append(_report(rule, message, extent_of(event), fix))


class _Locator(Builder):
    """Finds places alone, and goes on where a value cannot be read."""

    def read(self, event: Any) -> tuple[Any, str | None]:
        return event.value, None

    def read_alias(self, event: Any) -> None:
        inner = self._inner
        if inner is not None and self.wants_key():
            inner.key, inner.dropped = event.anchor, True
        else:
            self.add(Part(UNREAD, is_map=False, node=Node(extent_of(event))))

    def merge(self, source: Part, target: Part) -> None:
        """Merge nothing: `<<` is refused."""


_ESCAPED = "write the character itself; a backslash in double quotes is written \\\\"


def _advise(line: str) -> str:
    """Return what to do: most lines that are no YAML are texts with a sign of YAML in them."""
    value = line.partition(": ")[2]
    if value.lstrip()[:1] in {"@", "`", "%", "*", "&", "!", "|", ">"} or ": " in value:
        return "put the text in quotes"
    return "correct the line, or put its text in quotes"
