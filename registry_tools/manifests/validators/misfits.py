"""Misfits: values that do not fit a schema, by their paths."""

from typing import Any, NamedTuple

from agentevals.files.places import Key, quoted

Where = tuple[Key, ...]


class Misfit(NamedTuple):
    """One thing that does not fit: the value at a path, or its key.

    `keyword` is the schema's word for it, `wanted` what could stand there instead, and `only`
    whether nothing else could have been meant.
    """

    message: str
    where: Where
    of_key: bool = False
    fix: str = ""
    keyword: str = ""
    wanted: str = ""
    only: bool = False


def describe(value: Any) -> str:
    """Return a value on one line; of a list or a mapping only what it is."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else quoted(value)
