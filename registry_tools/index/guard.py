"""Guards against publishing an index that lost entries."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentevals.text.wording import plural
from registry_tools.index.build import Built

_MOST_NAMED = 20


@dataclass(frozen=True)
class Guard:
    """The limits of shrinking: a share of the entries before, and a floor."""

    share: float = 0.95
    floor: int = 1
    may_shrink: bool = False


def find_objections(made: Built, limits: Guard) -> Iterator[str]:
    """Return the reasons why an index is not published."""
    if limits.may_shrink:
        return
    yield from _find_vanished(made)
    old, new = len(made.before.evaluators), len(made.index.evaluators)
    if new < min(limits.share * old, old - 1):
        fewer = f"{plural(new, 'evaluator')} would be listed, {old:,} are"
        yield f"{fewer}; at least {limits.share:.0%} must stay, or say --allow-shrink"
    elif new < limits.floor:
        yield f"{plural(new, 'evaluator')} would be listed, at least {limits.floor:,} must be"


def _find_vanished(made: Built) -> Iterator[str]:
    """Name entries that would vanish without a tombstone."""
    listed = {entry.name for entry in made.index.evaluators}
    why = {finding.entry: finding.message for finding in made.findings}
    gone = [
        entry.name
        for entry in made.before.evaluators
        if entry.name not in listed and entry.name not in made.index.removed
    ]
    for name in gone[:_MOST_NAMED]:
        said = why.get(name, "").removeprefix("not listed: ")
        yield f"{name} would vanish without a tombstone: {said or 'nobody knows why'}"
    if len(gone) > _MOST_NAMED:
        yield f"{plural(len(gone) - _MOST_NAMED, 'more evaluator')} would vanish"
