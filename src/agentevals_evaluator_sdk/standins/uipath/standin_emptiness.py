"""Whether a value says anything."""

from typing import Any

__all__ = ["is_empty_value"]


def is_empty_value(value: Any) -> bool:
    """Return whether a value is nothing, a blank text, an empty list, or an object of these."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, dict):
        return all(isinstance(inner, str) and not inner.strip() for inner in value.values())
    return value is None or value == []
