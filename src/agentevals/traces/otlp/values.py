"""Attribute values of OTLP as plain Python values."""

import math
from typing import Any

from agentevals.traces.otlp.document import Pair, Value
from agentevals.traces.reading.json_text import MalformedError

DEEPEST = 64


def attributes(pairs: list[Pair]) -> dict[str, Any]:
    """The last of several values of one key wins."""
    found: dict[str, Any] = {}
    for pair in pairs:
        value = pair.value
        if value is not None:
            text = value.string_value  # most are text, and a call for each would double the cost
            found[pair.key] = plain(value) if text is None else text
    return found


def plain(value: Value, depth: int = 0) -> Any:
    """None for a value of no kind, and for a number without end."""
    if value.int_value is not None:
        return value.int_value
    if value.double_value is not None:
        return value.double_value if math.isfinite(value.double_value) else None
    if value.array_value is not None or value.kvlist_value is not None:
        return _nested(value, depth + 1)
    kinds = (value.string_value, value.bool_value, value.bytes_value)
    return next((content for content in kinds if content is not None), None)


def _nested(value: Value, depth: int) -> Any:
    if depth > DEEPEST:
        msg = f"an attribute is nested deeper than {DEEPEST} levels"
        raise MalformedError(msg)
    if value.array_value is not None:
        return [plain(item, depth) for item in value.array_value.values]
    pairs = value.kvlist_value.values if value.kvlist_value else []
    return {pair.key: plain(pair.value or Value(), depth) for pair in pairs}
