"""Whether the arguments of a call are the expected ones."""

from collections.abc import Hashable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from agentevals.graders import javascript
from agentevals.graders.javascript import UNDEFINED


class ArgsComparison(StrEnum):
    """How the arguments of a call are compared, at the top level; below it they are equal."""

    EXACT = "exact"
    IGNORE = "ignore"
    SUBSET = "subset"
    SUPERSET = "superset"


_LEVELS = 4  # of nested values that are looked at to find what may agree

How = ArgsComparison | tuple[str, ...]  # or the dotted paths that alone are compared


def accepts_args(expected: dict[str, Any] | None, actual: dict[str, Any] | None, how: How) -> bool:
    """Whether a call has the expected arguments; None expects nothing, and has none."""
    if expected is None or how is ArgsComparison.IGNORE:
        return True
    if not isinstance(actual, dict):
        return False
    if isinstance(how, tuple):
        return all(_agrees_at(path, expected, actual) for path in how)
    if how is ArgsComparison.EXACT:
        return javascript.is_same(expected, actual)
    part, whole = (expected, actual) if how is ArgsComparison.SUPERSET else (actual, expected)
    return all(
        key in whole and javascript.is_same(value, whole[key]) for key, value in part.items()
    )


class View(NamedTuple):
    """The part of arguments that decides: keys, dotted paths, or all of them (None)."""

    keys: tuple[str, ...] | None
    dotted: bool = False


def select_view(expected: dict[str, Any] | None, how: How) -> View | None:
    """What has to look the same in arguments that agree; None where nothing has to."""
    if expected is None or how in {ArgsComparison.IGNORE, ArgsComparison.SUBSET}:
        return None
    if isinstance(how, tuple):
        paths = (path for path in how if _read_path(path, expected) is not UNDEFINED)
        return View(tuple(paths), dotted=True)
    return View(tuple(expected) if how is ArgsComparison.SUPERSET else None)


def build_key(args: dict[str, Any] | None, looked_at: View | None) -> Hashable:
    """What arguments look like: the same for all that agree, and for most others not."""
    if looked_at is None:
        return None
    if looked_at.keys is None or not isinstance(args, dict):
        return _freeze(args)
    if looked_at.dotted:
        return tuple(_freeze(_read_path(path, args)) for path in looked_at.keys)
    return tuple(_freeze(args.get(key, UNDEFINED)) for key in looked_at.keys)


def _freeze(value: Any, levels: int = _LEVELS) -> Hashable:
    if isinstance(value, dict | list) and not levels:
        return ...
    if isinstance(value, dict):
        return frozenset((key, _freeze(inner, levels - 1)) for key, inner in value.items())
    if isinstance(value, list):
        return tuple(_freeze(inner, levels - 1) for inner in value)
    if isinstance(value, int | float):
        return javascript.to_double(value)
    return value if isinstance(value, str | None) else ...


def _agrees_at(path: str, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """A path that the expectation does not have asks for nothing."""
    wanted = _read_path(path, expected)
    return wanted is UNDEFINED or javascript.is_same(wanted, _read_path(path, actual))


def _read_path(path: str, value: Any) -> Any:
    for key in path.split("."):
        value = javascript.read_member(value, key)
    return value


def contains_args(actual: Any, expected: Any) -> bool:
    """Whether all that is expected is there: mappings may have more, at any depth."""
    pending = [(actual, expected)]
    while pending:
        found, wanted = pending.pop()
        if isinstance(wanted, Mapping) and isinstance(found, Mapping):
            if not wanted.keys() <= found.keys():
                return False
            pending += [(found[key], value) for key, value in wanted.items()]
        elif isinstance(wanted, list) and isinstance(found, list):
            if len(wanted) != len(found):
                return False
            pending += zip(found, wanted, strict=True)
        elif not javascript.is_same(found, wanted):
            return False
    return True


def drop_keys(args: Mapping[str, Any], keys: Iterator[str]) -> dict[str, Any]:
    """The arguments but for some."""
    left_out = set(keys)
    return {key: value for key, value in args.items() if key not in left_out}
