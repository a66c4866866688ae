"""YAML as the events of libyaml's parser: what every reader of it does, whatever it makes of them.

The composer of libyaml is recursive in C and crashes on deep nesting; its parser is not.
Words without quotes are read if they are the same value for every reader of YAML.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, NoReturn, TypeVar

import yaml

from agentevals.files.document_places import UnreadableError, quote
from agentevals.model.errors import Extent, Problem

AMBIGUOUS: Final = object()

_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
    # truth values of YAML 1.1, and what stands for a default and for a merge there
    "y": AMBIGUOUS, "Y": AMBIGUOUS, "yes": AMBIGUOUS, "Yes": AMBIGUOUS, "YES": AMBIGUOUS,
    "n": AMBIGUOUS, "N": AMBIGUOUS, "no": AMBIGUOUS, "No": AMBIGUOUS, "NO": AMBIGUOUS,
    "on": AMBIGUOUS, "On": AMBIGUOUS, "ON": AMBIGUOUS,
    "off": AMBIGUOUS, "Off": AMBIGUOUS, "OFF": AMBIGUOUS,
    "=": AMBIGUOUS, "<<": AMBIGUOUS,
}  # fmt: skip
_NUMERIC = frozenset("-+.0123456789")  # what anything but text begins with
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,14})\.[0-9]{1,20}([eE][-+][0-9]{1,2})?")
_DIFFERS = re.compile(
    r"""
      [-+]?0b[01_]+ | 0o[0-7]+ | [-+]?0x[0-9a-fA-F_]+                 # other bases
    | [-+]?[0-9][0-9_]*                                               # 010, 1_000, +1
    | [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?                    # 1:30 is 90 in base 60
    | [-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?
    | [-+]?\.(inf|Inf|INF) | \.(nan|NaN|NAN)
    | [0-9]{4}-[0-9]{2}-[0-9]{2}                                      # a day
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?
      ([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?
    """,
    re.VERBOSE,
)

ENCODING, SYNTAX = "encoding", "yaml"
MERGE: Final = "<<"
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOT_YAML: re.Pattern[str] = yaml.reader.Reader.NON_PRINTABLE


def read_plain(text: str) -> Any:
    """Return the value of a word without quotes, or AMBIGUOUS."""
    if text in _WORDS:
        return _WORDS[text]
    return _read_number(text) if text[0] in _NUMERIC else text


def _read_number(text: str) -> Any:
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return AMBIGUOUS if _DIFFERS.fullmatch(text) else text


@dataclass(slots=True)
class Open:
    """A list or a mapping that is being read. `dropped` is a key whose value does not count."""

    value: Any
    is_map: bool
    key: str | None = None
    dropped: bool = False


Part = TypeVar("Part", bound=Open)


class EventReader(Generic[Part]):
    """Follows the events of one text, and collects what is wrong with it."""

    deepest: int  # levels of nesting
    most_problems: int = sys.maxsize  # after which it gives up
    # what to do about a second document, and about a key that is a list or a mapping
    one_document: str
    word_wanted: str = ""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self._open: list[Part] = []
        self._inner: Part | None = None
        self._documents = 0

    def run(self) -> None:
        """Read until the end of the text, or the first thing after which nothing makes sense."""
        try:
            self._read_events()
        except UnreadableError as error:
            self.problems.append(error.problem)
        except yaml.MarkedYAMLError as error:
            self.problems.append(self.describe_syntax(error, self.text.split("\n")))
        except (yaml.reader.ReaderError, UnicodeEncodeError):
            self.problems.append(self._describe_unprintable())

    def _read_events(self) -> None:
        loader = _PARSER(self.text)
        take, problems, most = loader.get_event, self.problems, self.most_problems
        handlers: dict[type[yaml.Event], Callable[[Any], None]] = {
            yaml.ScalarEvent: self.read_scalar,
            yaml.DocumentStartEvent: self._begin_document,
            yaml.SequenceStartEvent: self._begin_part,
            yaml.MappingStartEvent: self._begin_part,
            yaml.SequenceEndEvent: self._end_part,
            yaml.MappingEndEvent: self._end_part,
            yaml.AliasEvent: self.read_alias,
        }
        try:
            while (event := take()) is not None and len(problems) < most:
                if (handle := handlers.get(type(event))) is not None:
                    handle(event)
        finally:
            loader.dispose()

    def _begin_document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self.stop(event, "a second YAML document starts here", self.one_document)

    def _begin_part(self, event: Any) -> None:
        if self.wants_key():
            self.stop(event, "a key must be text, not a list or a mapping", self.word_wanted)
        if len(self._open) >= self.deepest:
            self.stop(event, f"nested deeper than {self.deepest} levels", "flatten it")
        self._inner = self.open_part(event)
        self._open.append(self._inner)

    def _end_part(self, event: Any) -> None:
        done = self._open.pop()
        self._inner = self._open[-1] if self._open else None
        self.add_part(done, event.end_mark)

    def put(self, value: Any) -> None:
        """Put a value that is complete into the list or the mapping that is being read."""
        inner = self._inner
        if inner is not None and inner.is_map:
            if not inner.dropped:
                inner.value[inner.key] = value
            inner.key = None
        elif inner is not None:
            inner.value.append(value)

    def wants_key(self) -> bool:
        """Return whether a key comes next."""
        inner = self._inner
        return inner is not None and inner.is_map and inner.key is None

    def read_scalar(self, event: Any) -> None:
        """Read a word, as a key or as a value."""
        raise NotImplementedError

    def open_part(self, event: Any) -> Part:
        """Return the list or the mapping that begins."""
        raise NotImplementedError

    def add_part(self, part: Part, end: Any) -> None:
        """Add a list or a mapping, which ends at a mark, to the one around it."""
        raise NotImplementedError

    def read_alias(self, event: Any) -> None:
        """Read a reference to something elsewhere."""
        raise NotImplementedError

    def describe_syntax(self, error: yaml.MarkedYAMLError, lines: list[str]) -> Problem:
        """Return what the parser did not understand."""
        raise NotImplementedError

    def describe(self, rule: str, message: str, at: Extent, fix: str = "") -> Problem:
        """Return something wrong at a place."""
        return Problem(rule=rule, message=message, at=at, fix=fix)

    def stop(self, event: Any, message: str, fix: str = "") -> NoReturn:
        """Give up at an event."""
        raise UnreadableError(self.describe(SYNTAX, message, extent_of(event), fix))

    def _describe_unprintable(self) -> Problem:
        text = self.text
        at = next((i for i, char in enumerate(text) if _NOT_YAML.match(char)), 0)
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        message = f"the character {quote(text[at : at + 1])} is not allowed in YAML"
        extent = Extent(line, column, line, column + 1, at, at + 1)
        return self.describe(ENCODING, message, extent, "remove it")


def extent_of(event: Any) -> Extent:
    """Return where an event of the parser stands."""
    return extend(event.start_mark, event.end_mark)


def extend(begin: Any, end: Any) -> Extent:
    """Return the extent from one mark of the parser to another."""
    return Extent(
        begin.line + 1, begin.column + 1, end.line + 1, end.column + 1, begin.index, end.index
    )


_AT_THE_END = "unexpected end of stream"


def explain(error: yaml.MarkedYAMLError) -> tuple[str, int, int]:
    """Return the parser's own words, and its line and column, which count from 0.

    What is never closed is wrong where it begins, and not at the end of the file.
    """
    words = " ".join(part for part in (error.problem, error.context) if part)
    is_open = _AT_THE_END in words and error.context_mark is not None
    mark = error.context_mark if is_open else error.problem_mark or error.context_mark
    return (words, mark.line, mark.column) if mark else (words, 0, 0)
