"""Misfits: values that do not fit a schema, by their paths."""

from typing import NamedTuple

from agentevals.files.places import Key

Where = tuple[Key, ...]


class Misfit(NamedTuple):
    """One thing that does not fit: the value at a path, or its key.

    `rule` is the one that is broken: a keyword of the schema, or a rule of the registry. `wanted`
    is what could stand there instead, and `only` whether nothing else could have been meant.
    """

    message: str
    where: Where
    of_key: bool = False
    fix: str = ""
    rule: str = ""
    wanted: str = ""
    only: bool = False
