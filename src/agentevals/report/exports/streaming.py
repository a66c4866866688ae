"""JSON in pieces: documents that hold more than memory does, at any depth."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentevals.text import json_


class Members(NamedTuple):
    """An object, of which one member is written at a time."""

    pairs: Iterable[tuple[str, object]]


class Items(NamedTuple):
    """An array, of which one item is written at a time."""

    values: Iterable[object]


def document(value: object) -> Iterator[str]:
    """The value as a whole file."""
    yield from _pieces(value, 0)
    yield "\n"


def _pieces(value: object, level: int) -> Iterator[str]:
    if isinstance(value, Members):
        labelled = ((f'"{name}": ', member) for name, member in value.pairs)
        yield from _listed("{}", labelled, level)
    elif isinstance(value, Items):
        yield from _listed("[]", (("", item) for item in value.values), level)
    else:
        yield json_.pretty(value, level=level).lstrip()


def _listed(brackets: str, items: Iterable[tuple[str, object]], level: int) -> Iterator[str]:
    space = "\n" + "  " * level
    before = brackets[0]
    for label, item in items:
        yield f"{before}{space}  {label}"
        yield from _pieces(item, level + 1)
        before = ","
    yield f"{space}{brackets[1]}" if before == "," else brackets
