"""The cases that somebody should look at, worst first, with the reasons in short."""

from collections.abc import Container, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice

import msgspec

from agentevals.compare.acceptance import Acceptances
from agentevals.compare.cases import Pair, standing
from agentevals.compare.kinds import Beside
from agentevals.model.cases import Status
from agentevals.model.outcome import Highlight, Kind, Reason
from agentevals.model.results import CaseReport, Evaluation, Result, Verdict
from agentevals.run.attempts import find_worst
from agentevals.text import calls, wording

MOST = 200  # of one section; the counts tell of all

_REASONS = 6  # evaluators per case
_TEXT = 600  # characters of one reason
_CALLS = 60  # of one side
_UNDECIDED = frozenset({Kind.ERROR, Kind.NOT_EVALUATED})
_RANK = {kind: rank for rank, kind in enumerate(Kind)}


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
        turns = [calls.write_sides(comparison) for _, comparison in calls.mismatches(result)]
        expected, actual = (_join(turns, side) for side in (0, 1))
        if expected != actual:
            return expected, actual, True
    return (), (), False


def _join(turns: Sequence[tuple[_Calls, _Calls]], side: int) -> _Calls:
    return tuple(islice((call for turn in turns for call in turn[side]), _CALLS))
