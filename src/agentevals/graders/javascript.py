"""Texts and numbers as JavaScript has them, for scores that must equal those computed in it."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from math import isfinite, isnan
from typing import Any, Final, NamedTuple, NoReturn

# white space and line ends as ECMAScript knows them; Python's `strip` takes others away
_SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_NUMBER_START = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_INDEX = re.compile(r"\d{1,15}", re.ASCII)
_EXPONENT_FROM = 21  # digits before the point from which a number is written with an exponent
_EXPONENT_TO = -6

# what every object and every array has without anybody's having put it there
_INHERITED = frozenset((
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "toString", "valueOf",
))  # fmt: skip


class Undefined(Enum):
    """A missing value, which is something else than null."""

    UNDEFINED = "undefined"


UNDEFINED: Final = Undefined.UNDEFINED


class Inherited(NamedTuple):
    """A function that every value of a kind has."""

    kind: str
    name: str


def trim(text: str) -> str:
    """`String.prototype.trim`."""
    return text.strip(_SPACE)


def to_fixed(number: float, digits: int) -> str:
    """`Number.prototype.toFixed`: a tie is rounded away from zero."""
    if not isfinite(number) or abs(number) >= 10**_EXPONENT_FROM:
        return format_number(number)
    step = Decimal(1).scaleb(-digits)
    return str(Decimal(number or 0).quantize(step, rounding=ROUND_HALF_UP))


def parse_float(text: str) -> float | None:
    """`parseFloat`: the number with which a text begins; None where it begins with none."""
    start = _NUMBER_START.match(text.lstrip(_SPACE))
    return float(start[0]) if start else None


def to_double(number: float) -> float:
    """A number as JavaScript holds it: whole numbers lose their last digits too."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def format_number(number: float) -> str:
    """`String(number)`: without a needless fraction, an exponent only where it is long."""
    value = to_double(number)
    if isnan(value):
        return "NaN"
    sign = "-" if value < 0 else ""
    return sign + (_format_magnitude(abs(value)) if isfinite(value) else "Infinity")


def _format_magnitude(value: float) -> str:
    _, figures, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, figures))
    point = len(digits) + int(exponent)  # where it stands among the digits
    if not value:
        return "0"
    if not _EXPONENT_TO < point <= _EXPONENT_FROM:
        fraction = f".{digits[1:]}" if digits[1:] else ""
        return f"{digits[0]}{fraction}e{point - 1:+d}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
    return f"{whole}.{fraction}" if fraction else whole


def to_text(value: Any) -> str:
    """`String(value)`, of what JSON can hold. A list nested too deeply has no text."""
    if isinstance(value, list):
        try:
            return ",".join("" if one is None else to_text(one) for one in value)
        except RecursionError:
            return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_number(value)
    words = {None: "null", True: "true", False: "false", UNDEFINED: "undefined"}
    if value is None or isinstance(value, bool | Undefined):
        return words[value]
    return value if isinstance(value, str) else "[object Object]"


def name_type(value: Any) -> str:
    """`typeof`: null and lists are objects."""
    for kinds, name in (
        (Undefined, "undefined"),
        (Inherited, "function"),
        (bool, "boolean"),
        (int | float, "number"),
        (str, "string"),
    ):
        if isinstance(value, kinds):
            return name
    return "object"


def is_same(one: Any, other: Any, *, extra: bool = False) -> bool:
    """Return whether two JSON values are equal at any depth: 5 is 5.0, neither is true or "5".

    With `extra`, objects of the first may have further keys.
    """
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys() and not (extra and left.keys() > right.keys()):
                return False
            pending += [(left[key], value) for key, value in right.items()]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pending += zip(left, right, strict=True)
        elif not _is_same_scalar(left, right):
            return False
    return True


def _is_same_scalar(left: Any, right: Any) -> bool:
    if name_type(left) != name_type(right):
        return False
    if name_type(left) == "number":
        return to_double(left) == to_double(right)
    return bool(left == right)


def read_member(value: Any, key: str) -> Any:
    """`value[key]`, as far as `value` is an object or an array; otherwise undefined."""
    if isinstance(value, dict) and key in value:
        return value[key]
    if isinstance(value, list) and _INDEX.fullmatch(key):
        return value[int(key)] if int(key) < len(value) else UNDEFINED
    if isinstance(value, list) and key == "length":
        return len(value)
    there = isinstance(value, dict | list) and key in _INHERITED
    return Inherited(type(value).__name__, key) if there else UNDEFINED


def parse_json(source: str) -> Any:
    """`JSON.parse`. What is not JSON raises a ValueError."""
    try:
        return json.loads(source, parse_int=float, parse_constant=_refuse)
    except RecursionError:
        msg = "nested too deeply"
        raise ValueError(msg) from None


def _refuse(constant: str) -> NoReturn:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)
