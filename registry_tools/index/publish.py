"""Publish an index while others push at the same time.

It is built from the tip of the branch, never from the commit that started a job, and written to a
place: that branch, or another one. When somebody was faster it is built anew. It is done when what
lies there is what the tip compiles to: the last look at the place is the proof.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentevals.evaluator.heads import HEAD, parse_head
from agentevals.model.errors import UnavailableError
from agentevals.text.wording import plural
from registry_tools.index import build, staleness
from registry_tools.index.branch import Branch
from registry_tools.index.build import Built
from registry_tools.index.places import Place, Written
from registry_tools.index.signing import Signer

_ATTEMPTS = 20
_MOST_NAMED = 20
_UNMOVED = 3  # refusals while nobody else has pushed: waiting longer changes nothing
_PAUSE = 0.2  # seconds, more with every attempt, so that publishers get out of step


@dataclass(frozen=True)
class Guard:
    """The limits of shrinking: a share of the entries before, and a floor."""

    share: float = 0.95
    floor: int = 1
    may_shrink: bool = False


@dataclass(frozen=True)
class Published:
    """The index of the branch now. `refused` holds the reasons why nothing was published.

    `note` says what remains to be done by others.
    """

    built: Built
    commit: str
    pushed: int = 0
    refused: tuple[str, ...] = ()
    changes: tuple[str, ...] = field(default=())
    note: str = ""

    @property
    def sequence(self) -> int:
        """The number of indexes so far."""
        found = parse_head(self.built.files[HEAD])
        return found.sequence if found else 0


def publish(
    source: Branch,
    place: Place,
    limits: Guard,
    *,
    dry_run: bool = False,
    signer: Signer | None = None,
) -> Published:
    """Write until the place has the index of the branch's own tip, or a guard forbids it."""
    pushed, unmoved, before, written = 0, 0, "", Written()
    for attempt in range(_ATTEMPTS):
        tip = source.fetch()
        last = place.read(tip)
        made = build.build_commit(source.found, tip, last, thorough=True, signer=signer)
        stale = place.find_stale(made.files)
        refused = tuple(find_objections(made, limits)) if stale else ()
        changes = tuple(staleness.describe_differences(made.before, made.index)) if stale else ()
        if not stale or refused or dry_run or written.note:
            return Published(made, tip, pushed, refused, changes, written.note)
        unmoved = unmoved + 1 if place.state == before else 0
        if unmoved >= _UNMOVED:
            break
        before, written = place.state, place.write(made, stale)
        pushed += not written.complaint
        if written.complaint:
            time.sleep(_PAUSE * random.random() * (attempt + 1))  # noqa: S311 -- no secret
    msg = f"{place}: it cannot be published: {written.complaint or 'others push without pause'}"
    raise UnavailableError(msg)


def find_objections(made: Built, limits: Guard) -> Iterator[str]:
    """Return the reasons why an index is not published."""
    if made.lacks_signature:
        signer = "say who signs it: --sign-key or --keyless"
        yield f"the index before is signed, and this one would not be; {signer}"
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
