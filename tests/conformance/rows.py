"""One recorded row and how ours compares with it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Difference:
    """One value that is not the recorded one. `where` is a path such as `metrics/x/score`."""

    where: str
    recorded: Any
    ours: Any

    def __str__(self) -> str:
        return f"{self.where}: recorded {_short(self.recorded)}, ours {_short(self.ours)}"


@dataclass(frozen=True)
class Row:
    """The comparison of one recording: equal without differences, wrong with unexplained ones.

    If it cannot be compared, `incomparable` says why.
    """

    name: str
    explained: tuple[tuple[str, Difference], ...] = ()
    unexplained: tuple[Difference, ...] = ()
    incomparable: str = ""

    @property
    def decisions(self) -> frozenset[str]:
        return frozenset(decision for decision, _ in self.explained)


def explains(rule: Callable[..., bool], *given: Any) -> bool:
    """Whether a rule asks for a difference; one that cannot read the row does not."""
    try:
        return bool(rule(*given))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def differences(
    recorded: Any, ours: Any, where: str = "", whole: frozenset[str] = frozenset()
) -> Iterator[Difference]:
    """What was recorded and is not the same in ours; what ours has beyond that is allowed.

    But for objects below the keys in `whole`: nothing may be added to them.
    """
    if isinstance(recorded, dict) and isinstance(ours, dict):
        if where.rpartition("/")[2] in whole and ours.keys() - recorded.keys():
            yield Difference(where, recorded, ours)
            return
        for key, value in recorded.items():
            place = f"{where}/{key}" if where else key
            if key in ours:
                yield from differences(value, ours[key], place, whole)
            else:
                yield Difference(place, value, None)
    elif isinstance(recorded, list) and isinstance(ours, list) and len(recorded) == len(ours):
        for index, (theirs, own) in enumerate(zip(recorded, ours, strict=True)):
            yield from differences(theirs, own, f"{where}/{_label(theirs, index)}", whole)
    elif not _same(recorded, ours):
        yield Difference(where, recorded, ours)


def _label(item: Any, index: int) -> str:
    return (
        str(item["metric_name"]) if isinstance(item, dict) and "metric_name" in item else str(index)
    )


def _same(recorded: Any, ours: Any) -> bool:
    if isinstance(recorded, int | float) and isinstance(ours, int | float):
        booleans = isinstance(recorded, bool) == isinstance(ours, bool)
        return booleans and math.isclose(recorded, ours, rel_tol=1e-9, abs_tol=1e-9)
    return type(recorded) is type(ours) and bool(recorded == ours)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else text[:157] + "..."
