"""Places of the keys and values in a text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic.alias_generators import to_camel

from agentevals.model.errors import Extent, Problem

DEEPEST = 200  # levels of nesting; nobody writes that many, and what reads them is recursive

Key = str | int

CONFIG = "config"


class UnreadableError(Exception):
    """A problem after which nothing can be read any more."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(slots=True)
class Node:
    """The place of one value, of its keys, and of the values in it.

    `plain` is a YAML scalar without quotes; `raw` is how it was written, when it was not read as
    text.
    """

    extent: Extent
    raw: str | None = None
    plain: bool = False
    keys: dict[str, Extent] = field(default_factory=dict)
    children: dict[Key, "Node"] = field(default_factory=dict)

    def find(self, where: Sequence[Key]) -> "Node":
        """Return the node at a path, or the nearest one above it that exists."""
        child = self.children.get(where[0]) if where else None
        return child.find(where[1:]) if child else self


def way_to(key: Key, inside: frozenset[str]) -> tuple[Key, ...]:
    """Return the path from an entry to a setting of it; those `inside` are in its `config`."""
    return (key,) if inside.isdisjoint(map(str, _list_spellings(key))) else (CONFIG, key)


def get_at(value: Any, where: Sequence[Key]) -> Any:
    """Return the value at a path that exists."""
    for step in where:
        value = value[step]
    return value


def steps(location: Sequence[Key], value: Any) -> Iterator[Key]:
    """Yield the part of a location that exists in the file: no tags of unions, no missing keys.

    The first step may be a setting of an evaluator that stands in its `config`.
    """
    config = value.get(CONFIG) if isinstance(value, Mapping) else None
    if location and not _find_key(value, location[0]) and _find_key(config, location[0]):
        yield CONFIG
        value = config
    for step in location:
        for key in _find_key(value, step):
            value = value[key]
            yield key


def _find_key(value: Any, step: Key) -> tuple[Key, ...]:
    """Return the key by which a value has a step; nothing where it has none."""
    if isinstance(value, Mapping):
        return next(((key,) for key in _list_spellings(step) if key in value), ())
    is_in = isinstance(value, list) and isinstance(step, int) and step < len(value)
    return (step,) if is_in else ()


def _list_spellings(step: Key) -> tuple[Key, ...]:
    return (step, to_camel(step)) if isinstance(step, str) else (step,)


def refuse_depth(at: Extent) -> UnreadableError:
    """Return the error for more nesting than we read."""
    return UnreadableError(
        Problem(message=f"nested deeper than {DEEPEST} levels; flatten it", at=at)
    )


def describe_double(key: str, first: Extent, at: Extent) -> Problem:
    """Return the problem of a key that a mapping has already."""
    message = f"the key {quote(key)} is here twice, first in line {first.line}; remove one"
    return Problem(message=message, at=at)


def quote(value: object, limit: int = 60) -> str:
    """Return a value as it may be shown: on one line, in quotes, without control characters."""
    shown = repr(value)
    if len(shown) <= limit:
        return shown
    return repr(f"{value[:limit]}…") if isinstance(value, str) else f"{shown[:limit]}…"


def describe(value: object) -> str:
    """Return a value as a sentence names it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list | tuple) else quote(value)
