"""Values of JSON: what kind they are, when they are equal, how they are shown and measured."""

import json
import operator
from collections.abc import Callable
from fractions import Fraction
from math import isfinite
from typing import Any

LONGEST_QUOTE = 60


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 is 1.0, and true is not 1."""
    return bool(comparable(one) == comparable(other))


def comparable(value: Any) -> Any:
    """The value in a form in which Python compares it as JSON does."""
    if isinstance(value, list):
        return [comparable(each) for each in value]
    if isinstance(value, dict):
        return {name: comparable(each) for name, each in value.items()}
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{type(value).__name__} {value}"


def show(value: Any) -> str:
    """A value as JSON, cut where it becomes long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def is_number(value: Any) -> bool:
    """Python takes booleans for numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_multiple(number: float, step: float) -> bool:
    """Exactly, as both are written: 0.3 is a multiple of 0.1."""
    if isinstance(number, float) and not isfinite(number):
        return False
    return (Fraction(str(number)) / Fraction(str(step))).denominator == 1


TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_number(value) and value % 1 == 0,
    "number": is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool], str]] = {
    "minimum": ("number", operator.ge, "less than"),
    "maximum": ("number", operator.le, "more than"),
    "exclusiveMinimum": ("number", operator.gt, "not more than"),
    "exclusiveMaximum": ("number", operator.lt, "not less than"),
    "multipleOf": ("number", is_multiple, "no multiple of"),
    "minLength": ("string", operator.ge, "shorter than"),
    "maxLength": ("string", operator.le, "longer than"),
    "minItems": ("array", operator.ge, "shorter than"),
    "maxItems": ("array", operator.le, "longer than"),
    "minProperties": ("object", operator.ge, "smaller than"),
    "maxProperties": ("object", operator.le, "larger than"),
}
