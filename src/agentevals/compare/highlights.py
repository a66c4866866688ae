"""The cases that somebody should look at, worst first, with the reasons in short.

A case got worse or better, went or came, or its attempts differ. A case with several attempts is
compared by how many of them pass: one bad run of ten is no regression. Whether the case passes is
another question, which the rule of the gate answers.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

import msgspec

from agentevals.compare.acceptance import Acceptances
from agentevals.compare.baselines import Common
from agentevals.compare.case_pairs import Pair, find_flipped, standing
from agentevals.compare.statistics import significance
from agentevals.model.cases import Status
from agentevals.model.outcome import Highlight, Kind, Reason, Standing
from agentevals.model.policy import Policy
from agentevals.model.results import CaseReport, Evaluation, Result, Verdict
from agentevals.run.attempts import find_worst
from agentevals.text import aligned_calls, wording

MOST = 200  # of one section; the counts tell of all
_REASONS = 6  # evaluators per case
_TEXT = 600  # characters of one reason
_CALLS = 60  # of one side
_UNDECIDED = frozenset({Kind.ERROR, Kind.NOT_EVALUATED})


class Moved(NamedTuple):
    """The ids of the cases that got worse and better. Chance does not explain the `proven` ones."""

    worse: frozenset[str] = frozenset()
    better: frozenset[str] = frozenset()
    proven: frozenset[str] = frozenset()


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
    if beside.common is None and _has_passed_alone(pair):
        return None  # as most of a run without a baseline have
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


def _has_passed_alone(pair: Pair) -> bool:
    """Return whether a case was recorded once, on this side only, and has passed."""
    if pair.verdict is not Verdict.PASS or len(pair.head) != 1 or pair.changed:
        return False
    return pair.head[0].is_decided


_RANK = {kind: rank for rank, kind in enumerate(Kind)}
_ALPHA = 0.05


def rank_worst(found: Iterable[tuple[Pair, Kind]], accepted: set[str]) -> list[tuple[Pair, Kind]]:
    """As many as are shown: by kind, what nobody answers for first, the deepest fall first."""

    def rank(one: tuple[Pair, Kind]) -> tuple[int, bool, float]:
        pair, kind = one
        return _RANK[kind], pair.case_id in accepted, _rise(pair)

    return nsmallest(MOST, found, key=rank)


def highlight(
    pair: Pair, kind: Kind, run: Evaluation, beside: Beside, acceptances: Acceptances
) -> Highlight:
    """One case with what there is to say about it."""
    was = standing(pair.base, beside.common, run.policy)
    if pair.at < 0:
        return Highlight(case_id=pair.case_id, kind=kind, was=was)
    whole = run.cases[pair.at]
    case = find_worst(whole)
    accepted, expired = acceptances.find(whole)
    before, now, expected = ((), (), False) if kind in _UNDECIDED else _calls(pair, case)
    return Highlight(
        case_id=pair.case_id,
        kind=kind,
        now=beside.find_standing(pair),
        was=was,
        reasons=tuple(_reasons(case, beside.find_lost(pair), beside.judged)),
        certain=beside.is_certain(pair, kind),
        calls_before=before,
        calls_now=now,
        expected_calls=expected,
        accepted=accepted,
        expired=expired,
        source=case.sources[0] if whole.attempts and case.sources else msgspec.UNSET,
    )


def _rise(pair: Pair) -> float:
    was, now = standing(pair.base, None), standing(pair.head, None)
    before = 1.0 if was is None or was.score is None else was.score
    return ((now.score if now else None) or 0.0) - before


def _reasons(case: CaseReport, lost: Sequence[str], judged: Container[str]) -> Iterator[Reason]:
    """Yield the reasons; evaluators that flipped stand first.

    Evidence that is missing and evaluators in error are none of them: findings of the run tell
    about those, once for all cases.
    """
    if case.error and not case.results:
        yield Reason(evaluator="", status=Status.ERROR, text=case.error[:_TEXT])
    told = {Status.FAILED, Status.NOT_EVALUATED}
    against = [r for r in case.results if r.case_status in told and not r.gap]
    against.sort(key=lambda result: result.name not in lost)
    for result in against[:_REASONS]:
        yield Reason(
            evaluator=result.name,
            status=result.case_status,
            text=_text(result),
            score=result.score,
            threshold=result.threshold,
            scale=result.scale,
            raw=result.raw,
            judged=result.name in judged,
        )


def _text(result: Result) -> str:
    said = (*wording.list_missed_gates(result), *result.problems[:3])
    return ("; ".join(said) or result.reasoning)[:_TEXT]


_Calls = tuple[str, ...]


def _calls(pair: Pair, case: CaseReport) -> tuple[_Calls, _Calls, bool]:
    """Two tool paths to compare: of the base and of this run, or else expected and actual calls."""
    if case.verdict is Verdict.PASS:
        return (), (), False
    known = next((base.calls for base in pair.base if base.calls), ())
    if known and known != case.calls:
        return known, case.calls, False
    for result in case.results:
        turns = [
            aligned_calls.write_sides(comparison)
            for _, comparison in aligned_calls.mismatches(result)
        ]
        expected, actual = (_join(turns, side) for side in (0, 1))
        if expected != actual:
            return expected, actual, True
    return (), (), False


def _join(turns: Sequence[tuple[_Calls, _Calls]], side: int) -> _Calls:
    return tuple(islice((call for turn in turns for call in turn[side]), _CALLS))


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
        name: significance.fell(
            was.passed, was.runs - was.passed, now.passed, now.runs - now.passed
        )
        for name, was, now in sides
        if was.runs > 1 or now.runs > 1
    }
    adjusted = significance.holm(list(tested.values()))
    proven = {name for name, p in zip(tested, adjusted, strict=True) if p <= _ALPHA}
    tables = [_count(was, now) for name, was, now in sides if name in tested]
    if (
        significance.compare_all(tables) <= _ALPHA
    ):  # that some fell is sure: these are the likeliest
        proven |= {name for name, p in tested.items() if p <= _ALPHA}
    return frozenset(proven)


def _count(was: Standing, now: Standing) -> significance.Table:
    return significance.Table(was.passed, was.runs - was.passed, now.passed, now.runs - now.passed)


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
