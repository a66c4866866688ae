"""Writing `agentevals.lock`: what the references of some configs stand for now."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from agentevals.evaluator import lock
from agentevals.evaluator.lock import Lock, Locked
from agentevals.evaluator.pin import Pin
from agentevals.evaluator.resolver import EvaluatorResolver, RemoteEvaluatorDef


@dataclass(frozen=True, kw_only=True)
class Change:
    """A reference whose lock is new, or another than before."""

    ref: str
    before: Pin | None
    after: Pin


def changes(
    path: Path, wanted: Iterable[RemoteEvaluatorDef], resolver: EvaluatorResolver, *, update: bool
) -> tuple[Lock, list[Change]]:
    """The lock as it has to be. What it has already stays, unless everything is to be updated."""
    old = lock.read(path) or Lock()
    found: list[Change] = []
    for definition in wanted:
        before = old.find(definition.source, definition.ref)
        if before is None or update:
            after = resolver.obtain(replace(definition, lock=None)).pin
            found.append(Change(ref=definition.ref, before=before, after=after))
    new = old.updated(Locked(ref=change.ref, pin=change.after) for change in found)
    return new, [change for change in found if change.before != change.after]
