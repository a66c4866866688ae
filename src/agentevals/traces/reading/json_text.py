"""JSON as programs really write it: what can be forgiven is, the rest is said with its place."""

import json
import math
from typing import Any

import msgspec

from agentevals.files.spool import make_storable

_decode = msgspec.json.Decoder().decode
_check = msgspec.json.Decoder(msgspec.Raw).decode


_STARTS = (b"{", b"[", b'"')
_SHOWN = 20  # characters of what is wrong

TOO_DEEP = "is nested too deeply to be read; flatten it"


class MalformedError(ValueError):
    """Why something in a file cannot be read, without the name of the file."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line, self.column = line, column


def is_json(data: bytes) -> bool:
    """Return whether this is one complete JSON value. Most values are checked without decoding."""
    try:
        _check(data)
    except (ValueError, RecursionError):
        return _is_forgivable(data)
    return True


def _is_forgivable(data: bytes) -> bool:
    try:
        _read_forgiving(data)
    except MalformedError:
        return False
    return True


def read(data: bytes) -> Any:
    """The value; NaN and numbers without end become null, half characters question marks."""
    return read_lossy(data)[0]


def read_lossy(data: bytes) -> tuple[Any, bool]:
    """The value, and whether such numbers became null in it."""
    try:
        return _decode(data), False
    except RecursionError as error:
        raise MalformedError(TOO_DEEP) from error
    except ValueError:
        value, is_rounded = _read_forgiving(data)
        return make_storable(value), is_rounded


def _read_forgiving(data: bytes) -> tuple[Any, bool]:
    start = data.lstrip()[:_SHOWN]
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
        found = error.doc[error.pos : error.pos + _SHOWN]
        why = f"is not JSON: {error.msg[0].lower()}{error.msg[1:]}, found {found!r}; correct it"
    return MalformedError(why, error.lineno, error.colno)


def read_object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """The object under a name, an empty one where there is none."""
    value = raw.get(name)
    if value is not None and not isinstance(value, dict):
        msg = f"expected an object - at `$.{name}`"
        raise MalformedError(msg)
    return value or {}
