"""What is never published without somebody saying so: an index that lost what it had."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentevals.text.wording import plural
from registry_tools.index.build import Built

_MOST_NAMED = 20


@dataclass(frozen=True)
class Guard:
    """How much an index may shrink: to a share of what it was, and never below a floor."""

    share: float = 0.95
    floor: int = 1
    may_shrink: bool = False


def objections(made: Built, limits: Guard) -> Iterator[str]:
    """Why it is not published."""
    if limits.may_shrink:
        return
    yield from _vanished(made)
    old, new = len(made.before.evaluators), len(made.index.evaluators)
    if new < min(limits.share * old, old - 1):
        fewer = f"{plural(new, 'evaluator')} would be listed, {old:,} are"
        yield f"{fewer}; at least {limits.share:.0%} must stay, or say --allow-shrink"
    elif new < limits.floor:
        yield f"{plural(new, 'evaluator')} would be listed, at least {limits.floor:,} must be"


def _vanished(made: Built) -> Iterator[str]:
    """Entries that nobody buried, and that could not be kept either."""
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
