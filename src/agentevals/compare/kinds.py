"""Why somebody should look at a case: it got worse or better, went or came, or its repeats differ.

A case with repeats is compared by how many of them pass: one bad run of ten is no regression.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentevals.compare.baselines import Common
from agentevals.compare.cases import Pair, standing
from agentevals.compare.statistics import fisher, multiplicity
from agentevals.model.results import Verdict
from agentevals.model.review import Kind, Standing

_ALPHA = 0.05


class Moved(NamedTuple):
    """The ids of the cases that got worse and better. Chance does not explain the `proven` ones."""

    worse: frozenset[str] = frozenset()
    better: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()


def find_moved(paired: Iterable[Pair], common: Common | None) -> Moved:
    """Compare the share of runs that pass, by the evaluators by which both sides judge alike.

    A case has moved where its share has by more than one half, as that of a single run that flips,
    or where Fisher's exact test proves a smaller change (Holm, over all cases with repeats).
    """
    sides = [
        (pair.case_id, was, now)
        for pair in paired
        if common is not None and pair.comparable
        if (was := standing(pair.base, common)) and (now := standing(pair.head, common))
    ]
    mirrored = [(name, now, was) for name, was, now in sides]
    fallen, risen = _proven(sides), _proven(mirrored)
    return Moved(_far(sides) | fallen, _far(mirrored) | risen, fallen | risen)


_Sides = Sequence[tuple[str, Standing, Standing]]


def _far(sides: _Sides) -> frozenset[str]:
    """Those whose share of passing runs fell by more than one half."""
    return frozenset(
        name
        for name, was, now in sides
        if 2 * (was.passed * now.runs - now.passed * was.runs) > was.runs * now.runs
    )


def _proven(sides: _Sides) -> frozenset[str]:
    """Those whose share fell by more than chance explains; one run on each side proves nothing."""
    tested = {
        name: fisher.fell(was.passed, was.runs - was.passed, now.passed, now.runs - now.passed)
        for name, was, now in sides
        if was.runs > 1 or now.runs > 1
    }
    adjusted = multiplicity.holm(list(tested.values()))
    return frozenset(name for name, p in zip(tested, adjusted, strict=True) if p <= _ALPHA)


def kind(pair: Pair, common: Common | None, moved: Moved) -> Kind | None:
    """Why somebody should look at a case; None when nobody has to."""
    now = standing(pair.head, None)
    if now is None:
        return Kind.REMOVED
    nearly = Kind.BORDERLINE if now.verdict is Verdict.BORDERLINE else None
    return _choose_kind(pair, now, common, moved) or nearly


def _choose_kind(pair: Pair, now: Standing, common: Common | None, moved: Moved) -> Kind | None:
    if common is not None and pair.comparable:
        return _choose_compared(pair.case_id, now, moved)
    if common is not None and not pair.base:
        return Kind.ADDED
    if now.verdict is Verdict.FAIL:
        return _failing(now)
    return Kind.CHANGED if pair.changed else None


def _choose_compared(case_id: str, now: Standing, moved: Moved) -> Kind | None:
    """What moved as far as both runs judge alike; whether it fails now, by everything."""
    if case_id in moved.worse and now.verdict is Verdict.FAIL:
        return Kind.REGRESSED
    if case_id in moved.better and now.passed:
        return Kind.FIXED
    return _failing(now) if now.verdict is Verdict.FAIL else None


def _failing(now: Standing) -> Kind:
    return Kind.FLAKY if now.is_flaky else Kind.FAILING
