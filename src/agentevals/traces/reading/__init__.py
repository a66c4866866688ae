"""The records of a file: its lines when each is a value of its own, else all of it as one.

They are JSON as programs really write it: what can be forgiven is, the rest is said with its place.
"""

import io
import json
import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO

import msgspec

from agentevals.files.spool import make_storable

TOO_DEEP = "is nested too deeply to be read; flatten it"

_SHOWN = 8  # keys of an object, when it is said what was found
_QUOTED = 20  # characters of what is wrong
_STARTS = (b"{", b"[", b'"')
_decode = msgspec.json.Decoder().decode
_check = msgspec.json.Decoder(msgspec.Raw).decode


class MalformedError(ValueError):
    """Why something in a file cannot be read, without the name of the file."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line, self.column = line, column


class EmptyError(MalformedError):
    """Nothing is in a file."""


class NoTraceError(MalformedError):
    """A file can be read, and nothing in it is a trace."""


class Record:
    """One JSON value of a file: a line of it, or all of it. `data` need not be JSON at all."""

    __slots__ = ("_document", "data", "is_rounded", "line", "trouble")

    def __init__(self, data: bytes, line: int | None = None) -> None:
        self.data, self.line = data, line
        self.trouble: MalformedError | None = None
        self.is_rounded = False

    @property
    def document(self) -> Any:
        """Return the parsed value. None when there is none, and `trouble` then says why.

        `is_rounded` is whether numbers that JSON does not have became null in it.
        """
        if not hasattr(self, "_document"):
            self._document = None
            try:
                self._document, self.is_rounded = _read_lossy(self.data)
            except MalformedError as trouble:
                self.trouble = trouble
        return self._document

    def unlike(self, name: str, remedy: str = "correct or remove it") -> MalformedError:
        """Return why this is not a record of the format of that name, and what to do about it."""
        found = _describe(self.document)
        return self.trouble or MalformedError(f"is not {name}: found {found}; {remedy}")


def _describe(document: Any) -> str:
    if isinstance(document, dict) and document:
        names = [repr(key) for key in document]
        more = ", …" if len(names) > _SHOWN else ""
        return f"an object with the keys {', '.join(names[:_SHOWN])}{more}"
    if isinstance(document, list) and document:
        return f"an array of {len(document)}, the first of them {_describe(document[0])}"
    kinds = {dict: "an empty object", list: "an empty array", str: "a text", bool: "a truth value"}
    return kinds.get(type(document), "null" if document is None else "a number")


def read_records(stream: BinaryIO) -> Iterator[Record]:
    """At least one record, or a MalformedError when there is nothing in the file."""
    numbered = enumerate(stream, start=1)
    first, second = _next(numbered), _next(numbered)
    if not first.strip():
        msg = "is empty; record the trace again"
        raise EmptyError(msg)
    if not second.strip():
        yield Record(first + second)
    elif _is_json(first):
        yield from _read_lines(first + second, numbered)
    elif not _is_json(second):
        yield Record(first + second + stream.read())
    else:  # a bad line, or the first of an array
        data = first + second + stream.read()
        yield from [Record(data)] if _is_json(data) else _read_lines(data, iter(()))


def _next(numbered: Iterator[tuple[int, bytes]]) -> bytes:
    """Return everything up to the end of the next line that is not blank."""
    skipped: list[bytes] = []  # joined once: the only line of a large file is not even copied
    for _, line in numbered:
        skipped.append(line)
        if line.strip():
            break
    return b"".join(skipped)


def _read_lines(head: bytes, rest: Iterator[tuple[int, bytes]]) -> Iterator[Record]:
    numbered = chain(enumerate(io.BytesIO(head), start=1), rest)
    return (Record(line, number) for number, line in numbered if line.strip())


def _is_json(data: bytes) -> bool:
    """Return whether this is one complete JSON value. Most values are checked without decoding."""
    try:
        _check(data)
    except (ValueError, RecursionError):
        with suppress(MalformedError):
            _read_forgiving(data)
            return True
        return False
    return True


def read(data: bytes) -> Any:
    """Return the value; NaN and numbers without end become null, half characters question marks."""
    return _read_lossy(data)[0]


def _read_lossy(data: bytes) -> tuple[Any, bool]:
    """Return the value, and whether such numbers became null in it."""
    try:
        return _decode(data), False
    except RecursionError as error:
        raise MalformedError(TOO_DEEP) from error
    except ValueError:
        value, is_rounded = _read_forgiving(data)
        return make_storable(value), is_rounded


def _read_forgiving(data: bytes) -> tuple[Any, bool]:
    start = data.lstrip()[:_QUOTED]
    if not start.startswith(_STARTS):
        msg = f"is neither JSON nor protobuf: it starts with {str(start)[1:]}; give trace files"
        raise MalformedError(msg)
    try:
        lost = _Lost()
        value = json.loads(data, strict=False, parse_constant=lost.constant, parse_float=lost.float)
    except json.JSONDecodeError as error:
        raise _explain(error) from error
    except UnicodeDecodeError as error:
        msg = f"is not UTF-8 at byte {error.start}; save it as UTF-8"
        raise MalformedError(msg) from error
    except RecursionError as error:
        raise MalformedError(TOO_DEEP) from error
    except ValueError as error:  # an integer of many thousand digits
        msg = "holds a number with too many digits to be read; correct it"
        raise MalformedError(msg) from error
    return value, lost.any


class _Lost:
    """Reads numbers, and remembers whether there were some that are none in JSON."""

    any = False

    def constant(self, _name: str) -> None:
        self.any = True

    def float(self, digits: str) -> float | None:
        number = float(digits)
        if math.isfinite(number):
            return number
        self.any = True
        return None


def _explain(error: json.JSONDecodeError) -> MalformedError:
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated"):
        why = "ends in the middle of a value; it was cut off, record it again"
        error = json.JSONDecodeError(error.msg, error.doc, len(error.doc))
    else:
        found = error.doc[error.pos : error.pos + _QUOTED]
        why = f"is not JSON: {error.msg[0].lower()}{error.msg[1:]}, found {found!r}; correct it"
    return MalformedError(why, error.lineno, error.colno)


def read_object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object under a name, an empty one where there is none."""
    value = raw.get(name)
    if value is not None and not isinstance(value, dict):
        msg = f"expected an object - at `$.{name}`"
        raise MalformedError(msg)
    return value or {}
