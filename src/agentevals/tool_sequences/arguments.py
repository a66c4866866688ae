"""Whether the arguments of a call are the expected ones."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from agentevals import javascript
from agentevals.javascript import UNDEFINED


class ArgsComparison(StrEnum):
    """How the arguments of a call are compared, at the top level; below it they are equal."""

    EXACT = "exact"
    IGNORE = "ignore"
    SUBSET = "subset"
    SUPERSET = "superset"


How = ArgsComparison | tuple[str, ...]  # or the dotted paths that alone are compared


def agree(expected: dict[str, Any] | None, actual: dict[str, Any] | None, how: How) -> bool:
    """Whether a call has the expected arguments; None expects nothing, and has none."""
    if expected is None or how is ArgsComparison.IGNORE:
        return True
    if not isinstance(actual, dict):
        return False
    if isinstance(how, tuple):
        return all(_agree_at(path, expected, actual) for path in how)
    if how is ArgsComparison.EXACT:
        return javascript.same(expected, actual)
    part, whole = (expected, actual) if how is ArgsComparison.SUPERSET else (actual, expected)
    return all(key in whole and javascript.same(value, whole[key]) for key, value in part.items())


def _agree_at(path: str, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """A path that the expectation does not have asks for nothing."""
    wanted = _value_at(path, expected)
    return wanted is UNDEFINED or javascript.same(wanted, _value_at(path, actual))


def _value_at(path: str, value: Any) -> Any:
    for key in path.split("."):
        value = javascript.member(value, key)
    return value


def contains(actual: Any, expected: Any) -> bool:
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
        elif not javascript.same(found, wanted):
            return False
    return True


def without(args: Mapping[str, Any], keys: Iterator[str]) -> dict[str, Any]:
    """The arguments but for some."""
    left_out = set(keys)
    return {key: value for key, value in args.items() if key not in left_out}
