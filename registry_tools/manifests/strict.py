"""The YAML of a manifest: so little of it that every reader of YAML reads the same."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from agentevals.files.places import Key, quoted
from registry_tools.manifests.faults import ENCODING, LINES, SIZE, SYNTAX, UNREAD, Fault
from registry_tools.manifests.finding import Edit
from registry_tools.manifests.places import Extent, Node, locate
from registry_tools.manifests.reader import Reader, StopError

__all__ = ["LARGEST", "UNREAD", "Document", "Fault", "read"]

LARGEST = 64 << 10  # bytes


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
    reader = Reader(text, faults)
    try:
        reader.run()
    except StopError as stop:
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
