"""Where the keys and values of a text stand, and what is wrong with how it is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic.alias_generators import to_camel

DEEPEST = 200  # levels of nesting; nobody writes that many, and what reads them is recursive

Key = str | int

CONFIG = "config"


@dataclass(frozen=True)
class Fault:
    """Something wrong in a text, at a line and a column that both count from 1."""

    message: str
    line: int
    column: int


class UnreadableError(Exception):
    """A fault after which nothing can be read any more."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class Node:
    """The place of one value, of its keys, and of the values in it.

    `raw` is an unquoted YAML scalar as it was written, when it was not read as text.
    """

    line: int
    column: int
    raw: str | None = None
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    children: dict[Key, "Node"] = field(default_factory=dict)

    def find(self, where: Sequence[Key]) -> "Node":
        """The node at a path, or the nearest one above it that exists."""
        node = self
        for step in where:
            child = node.children.get(step)
            if child is None:
                break
            node = child
        return node


def way_to(key: Key, inside: frozenset[str]) -> tuple[Key, ...]:
    """The path from an entry to one of its settings; those `inside` stand in its `config`."""
    return (key,) if inside.isdisjoint(map(str, _spelt(key))) else (CONFIG, key)


def at(value: Any, where: Sequence[Key]) -> Any:
    """The value at a path that exists."""
    for step in where:
        value = value[step]
    return value


def steps(location: Sequence[Key], value: Any) -> Iterator[Key]:
    """The part of a location that exists in the file: not the tags of unions, not what lacks.

    The first step may be a setting of an evaluator that stands in its `config`.
    """
    config = value.get(CONFIG) if isinstance(value, Mapping) else None
    if location and not _key_of(value, location[0]) and _key_of(config, location[0]):
        yield CONFIG
        value = config
    for step in location:
        for key in _key_of(value, step):
            value = value[key]
            yield key


def _key_of(value: Any, step: Key) -> tuple[Key, ...]:
    """The key by which a value has a step; nothing where it has none."""
    if isinstance(value, Mapping):
        return next(((key,) for key in _spelt(step) if key in value), ())
    is_in = isinstance(value, list) and isinstance(step, int) and step < len(value)
    return (step,) if is_in else ()


def _spelt(step: Key) -> tuple[Key, ...]:
    """How a step may be written."""
    return (step, to_camel(step)) if isinstance(step, str) else (step,)


def too_deep(line: int, column: int) -> UnreadableError:
    """More nesting than is read."""
    message = f"nested deeper than {DEEPEST} levels; flatten it"
    return UnreadableError(Fault(message, line, column))


def twice(key: str, first: tuple[int, int], line: int, column: int) -> Fault:
    """A key that a mapping has already."""
    message = f"the key {quoted(key)} is here twice, first in line {first[0]}; remove one"
    return Fault(message, line, column)


def quoted(value: object, limit: int = 60) -> str:
    """A value as it may be shown: on one line, in quotes, without control characters."""
    shown = repr(value)
    if len(shown) <= limit:
        return shown
    return repr(f"{value[:limit]}…") if isinstance(value, str) else f"{shown[:limit]}…"
