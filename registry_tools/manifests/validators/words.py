"""Values as sentences name them."""

from typing import Any

from agentevals.files.places import quoted


def shown(value: Any) -> str:
    """A value on one line; of a list or a mapping only what it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else quoted(value)
