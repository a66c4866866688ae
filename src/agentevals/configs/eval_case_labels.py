"""Labels: what an eval case says about itself besides what is expected; see `gate.cluster`."""

from collections.abc import Iterator, Mapping
from typing import Any

from agentevals.text.json_text import encode

_INSIDE = "metadata"  # its keys are labels as if they were those of the case
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def find_label(labels: Mapping[str, Any], name: str) -> str:
    """Return the value of a label as text; empty if the case has none.

    A dot leads into a mapping (`session_input.state.topic`), unless a key has it in its name.
    """
    places = (labels, labels.get(_INSIDE))
    found = next((one for place in places if (one := _follow(place, name)) not in _EMPTY), "")
    return found if isinstance(found, str) else encode(found, order="deterministic").decode()


def list_labels(labels: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of all labels that have a value, in the shortest way to write them."""
    for name in _list_paths(labels):
        yield name.removeprefix(f"{_INSIDE}.")


def _follow(place: Any, name: str) -> Any:
    if not isinstance(place, Mapping):
        return None
    if name in place:
        return place[name]
    first, dot, rest = name.partition(".")
    return _follow(place.get(first), rest) if dot else None


def _list_paths(place: Mapping[str, Any]) -> Iterator[str]:
    for key, value in place.items():
        if isinstance(value, Mapping):
            yield from (f"{key}.{inner}" for inner in _list_paths(value))
        elif value not in _EMPTY:
            yield str(key)
