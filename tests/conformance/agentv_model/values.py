"""Values as JavaScript compares, prints and walks them."""

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

_INHERITED = {"constructor", "toString", "valueOf", "hasOwnProperty"}


def is_same(one: Any, other: Any) -> bool:
    """Deep equality: a number is a number, a bool is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(v, other[k]) for k, v in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return float(one) == float(other)
    return type(one) is type(other) and bool(one == other)


def read_at(path: str, value: Any) -> Any:
    """What lies at a dotted path; `...` where there is nothing."""
    for key in filter(None, re.split(r"[.\[\]]", path)):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, list) and key == "length":
            value = len(value)
        elif key in _INHERITED and value is not ... and value is not None:
            return f"every {name_type(value)} has {key}"
        else:
            return ...
    return value


def print_number(number: float) -> str:
    """A number as a template prints it."""
    if float(number).is_integer() and abs(number) < 1e21:
        return str(int(number))
    text = repr(float(number))
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    if int(exponent) >= -6 and int(exponent) < 0:
        return f"{Decimal(text):f}"
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def fix(number: float, digits: int) -> str:
    """`toFixed`."""
    step = Decimal(1).scaleb(-digits)
    return f"{Decimal(number).quantize(step, rounding=ROUND_HALF_UP):f}"


def name_type(value: Any) -> str:
    """`typeof`."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "object"


def parse_float(value: Any) -> float | None:
    """A number, or what a text begins with."""
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, int | float):
        return float(value)
    found = re.match(r"\s*([+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))", value)
    return float(found[1]) if found else None
