"""Why somebody should look at a case: it got worse or better, went or came, or its attempts differ.

A case with several attempts is compared by how many of them pass: one bad run of ten is no
regression. Whether the case passes is another question, which the rule of the gate answers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from agentevals.compare.baselines import Common
from agentevals.compare.cases import Pair, find_flipped, standing
from agentevals.compare.statistics import fisher, multiplicity
from agentevals.model.outcome import Kind, Standing
from agentevals.model.policy import Policy
from agentevals.model.results import Verdict

_ALPHA = 0.05


class Moved(NamedTuple):
    """The ids of the cases that got worse and better. Chance does not explain the `proven` ones."""

    worse: frozenset[str] = frozenset()
    better: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()


def find_moved(paired: Sequence[Pair], common: Common | None) -> Moved:
    """Compare the share of runs that pass, by the evaluators by which both sides judge alike.

    A case has moved where its share has by more than one half, as that of a single run that flips,
    or where Fisher's exact test proves a smaller change: over all cases with several attempts
    together, and for the case itself; or else for the case alone (Holm).
    None has got better of which the baseline was not recorded in full.
    """
    sides = [(side.pair.case_id, side.was, side.now) for side in stand_side_by_side(paired, common)]
    doubted = {pair.case_id for pair in paired if any(case.has_gap for case in pair.base)}
    mirrored = [(name, now, was) for name, was, now in sides if name not in doubted]
    fallen, risen = _proven(sides), _proven(mirrored)
    return Moved(_far(sides) | fallen, _far(mirrored) | risen, fallen | risen)


class Side(NamedTuple):
    """A case as it stands on both sides, by the evaluators by which they judge alike."""

    pair: Pair
    was: Standing
    now: Standing


def stand_side_by_side(paired: Iterable[Pair], common: Common | None) -> Iterator[Side]:
    """Yield the cases that can be compared."""
    for pair in paired:
        if common is not None and pair.comparable:
            was, now = standing(pair.base, common), standing(pair.head, common)
            if was and now:
                yield Side(pair, was, now)


_Sides = Sequence[tuple[str, Standing, Standing]]


def _far(sides: _Sides) -> frozenset[str]:
    """Return the cases whose share of passing runs fell by more than one half."""
    return frozenset(
        name
        for name, was, now in sides
        if 2 * (was.passed * now.runs - now.passed * was.runs) > was.runs * now.runs
    )


def _proven(sides: _Sides) -> frozenset[str]:
    """Return the cases whose share fell by more than chance explains. Single runs prove nothing."""
    tested = {
        name: fisher.fell(was.passed, was.runs - was.passed, now.passed, now.runs - now.passed)
        for name, was, now in sides
        if was.runs > 1 or now.runs > 1
    }
    adjusted = multiplicity.holm(list(tested.values()))
    proven = {name for name, p in zip(tested, adjusted, strict=True) if p <= _ALPHA}
    tables = [_count(was, now) for name, was, now in sides if name in tested]
    if fisher.compare_all(tables) <= _ALPHA:  # that some fell is sure: these are the likeliest
        proven |= {name for name, p in tested.items() if p <= _ALPHA}
    return frozenset(proven)


def _count(was: Standing, now: Standing) -> fisher.Table:
    return fisher.Table(was.passed, was.runs - was.passed, now.passed, now.runs - now.passed)


@dataclass(frozen=True)
class Beside:
    """The background of a case: how far both runs judge alike, and what moved between them."""

    judged: frozenset[str]
    common: Common | None
    moved: Moved
    policy: Policy

    def find_standing(self, pair: Pair) -> Standing | None:
        """Return how a case stands now, by all evaluators."""
        found = standing(pair.head, None, self.policy)
        return found and msgspec.structs.replace(found, verdict=pair.verdict or found.verdict)

    def find_lost(self, pair: Pair) -> list[str]:
        """The evaluators that pass a smaller share of the runs of a case than before."""
        return find_flipped(pair.base, pair.head, self.common)

    def is_certain(self, pair: Pair, kind: Kind) -> bool:
        """Return whether a change is more than the mood of a judge in single runs."""
        won = kind is Kind.FIXED
        moved = find_flipped(pair.head, pair.base, self.common) if won else self.find_lost(pair)
        return pair.case_id in self.moved.proven or not moved or not self.judged.issuperset(moved)


def kind(pair: Pair, beside: Beside) -> Kind | None:
    """Why somebody should look at a case; None when nobody has to."""
    now = beside.find_standing(pair)
    is_new = beside.common is not None and not pair.base
    in_error = any(case.verdict is Verdict.ERROR for case in pair.head)
    if now is None and in_error:
        return Kind.ADDED if is_new else Kind.ERROR
    if now is None:
        return Kind.NOT_EVALUATED if pair.head else Kind.REMOVED
    found = _choose_kind(pair, now, beside)
    if found is None and now.verdict is Verdict.BORDERLINE:
        return Kind.BORDERLINE
    if found is None and in_error:
        return Kind.ERROR
    return found or (Kind.FLAKY if now.is_flaky else None)


def _choose_kind(pair: Pair, now: Standing, beside: Beside) -> Kind | None:
    failing = Kind.FAILING if now.verdict is Verdict.FAIL else None
    if beside.common is not None and pair.comparable:
        return _choose_compared(pair.case_id, now, beside.moved) or failing
    if beside.common is not None and not pair.base:
        return Kind.ADDED
    return failing or (Kind.CHANGED if pair.changed else None)


def _choose_compared(case_id: str, now: Standing, moved: Moved) -> Kind | None:
    """Choose by the share of attempts that pass, which may fall where the case still passes."""
    if case_id in moved.worse and now.passed < now.runs:
        return Kind.REGRESSED
    return Kind.FIXED if case_id in moved.better and now.passed else None
