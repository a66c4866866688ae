"""The comparison of a run with its baseline, between verdict and outputs. Pure."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import msgspec

from agentevals.compare import (
    agent_decline,
    case_history,
    case_pairs,
    figures,
    gate_table,
    highlights,
    outcome_findings,
)
from agentevals.compare.baselines import Baseline, Common, NoBaseline, Usable, find_usable
from agentevals.compare.branch_trends import Trend
from agentevals.compare.case_pairs import Found, LonePairs, Pair
from agentevals.compare.case_summaries import SummarisedCases
from agentevals.compare.case_walk import Seen, walk
from agentevals.compare.figure_differences import RATIOS
from agentevals.compare.figures import Measured
from agentevals.compare.highlights import Beside
from agentevals.compare.settlement import Settlement, Tried, count_cases
from agentevals.model.completeness import Unknown
from agentevals.model.outcome import (
    Against,
    Apart,
    Change,
    FailOn,
    Gate,
    Highlight,
    Kind,
    Outcome,
)
from agentevals.model.results import CaseReport, Decline, Evaluation, Finding, Report


def settle(  # noqa: PLR0913 -- the run, its baseline, and how to decide
    run: Evaluation,
    baseline: Baseline | NoBaseline,
    *,
    config: str,
    today: date,
    fail_on: FailOn = FailOn.FAILED,
    configs: int = 1,
    watch: Callable[[CaseReport], None] | None = None,
) -> Outcome:
    """Compare a run with its baseline, and decide what it comes to: the only place that does.

    As many `configs` share one chance of a false alarm. `watch` sees each case in the one walk
    over them.
    """
    base = find_usable(run, baseline, today)
    seen = walk(run, today, watch, is_lone=isinstance(base.baseline, NoBaseline))
    compared = _compare(run, seen, base, configs)
    findings = (*run.findings, *_find_late(run, seen))
    trend = base.baseline.trend if isinstance(base.baseline, Baseline) else Trend()
    settled = Settlement(
        tried=seen.tried,
        findings=findings,
        gates=compared.gates,
        decline=compared.decline,
        fell=_count_fallen(compared.found, seen.tried.accepted),
        fail_on=fail_on,
    )
    return Outcome(
        config=config,
        title=run.title,
        verdict=settled.verdict,
        exit_code=settled.exit_code,
        fail_on=fail_on,
        score=run.score,
        counts=count_cases(compared.found, seen.tried, run),
        gates=compared.gates,
        highlights=tuple(_highlights(run, base, seen.tried, compared)),
        against=compared.against,
        findings=findings,
        trend=trend.points,
        identity=run.identity,
        report=_make_report(run, seen, settled, compared.paired),
        unknown=_count_unknown(seen.tried, compared.paired, settled),
        apart=compared.apart or msgspec.UNSET,
        earlier=case_history.collect_earlier(compared.paired, seen.summaries, base.common)
        or msgspec.UNSET,
        decline=compared.decline or msgspec.UNSET,
        strips=trend.strips or msgspec.UNSET,
    )


def _count_fallen(found: Found, accepted: Container[str]) -> int:
    """Count the cases that fell and that nobody answers for."""
    return sum(pair.case_id not in accepted for pair, _ in found.choose(Kind.REGRESSED))


def _count_unknown(
    tried: Tried, paired: Sequence[Pair], settled: Settlement
) -> Unknown | msgspec.UnsetType:
    found = Unknown(
        cases=tried.lacking,
        decides=settled.rests_on_evidence,
        uncompared=sum(pair.lacks_evidence for pair in _choose_shared(paired)),
    )
    return found if found != Unknown() else msgspec.UNSET


def report_of(outcome: Outcome) -> Report:
    """The run with its outcome, for those who read nothing but reports.

    It has no cases where the review of another run did not bring them along.
    """
    known = outcome.report or Report(
        title=outcome.title, verdict=outcome.verdict, exit_code=outcome.exit_code
    )
    findings = (*outcome.findings, *gate_table.findings(outcome.gates))
    return msgspec.structs.replace(known, findings=findings)


@dataclass(frozen=True)
class _Compared:
    """The cases of both sides in pairs, those that moved, and the gates."""

    paired: Sequence[Pair]
    found: Found
    beside: Beside
    against: Against
    gates: tuple[Gate, ...]
    apart: tuple[Apart, ...]
    decline: Decline | None


def _compare(run: Evaluation, seen: Seen, base: Usable, configs: int) -> _Compared:
    paired: Sequence[Pair] = LonePairs(seen.summaries)
    if isinstance(base.baseline, Baseline):
        paired = case_pairs.pairs(seen.summaries, base.baseline, base.common, run.policy)
    shared = _choose_shared(paired)
    moved = highlights.find_moved(shared, base.common)
    beside = Beside(frozenset(run.identity.judged), base.common, moved, run.policy)
    side = seen.side
    for place, pair in enumerate(shared):
        side.add(pair)
        if (kind := highlights.kind(pair, beside)) is not None:
            seen.noted.add(place, kind)
    found = Found(paired, seen.noted)
    rows = list(_rows(run, seen, paired, base, side))
    against = _count_pairs(base.against, shared)
    others, over_others = paired, rows
    if accepted := seen.tried.accepted:  # somebody answers for these
        others = [pair for pair in paired if pair.case_id not in accepted]
        over_others = list(_rows(run, seen, others, base))
    return _Compared(
        paired=paired,
        found=found,
        beside=beside,
        against=against,
        gates=gate_table.judge_gates(rows, run.policy, against, configs),
        apart=figures.count_apart(rows, run.policy),
        decline=None if against.state else _find_decline(run, base, others, over_others, configs),
    )


def _find_late(run: Evaluation, seen: Seen) -> Iterator[Finding]:
    """Yield the findings that are known only once all cases were seen."""
    yield from seen.errors.findings()
    yield from seen.missing.findings()
    yield from outcome_findings.find_notes(run, seen.repeated)
    yield from seen.tried.acceptances.findings(names_known=not run.identity.cases)


def _make_report(
    run: Evaluation, seen: Seen, settlement: Settlement, paired: Sequence[Pair]
) -> Report:
    earlier = {pair.case_id: pair.base for pair in _choose_shared(paired) if pair.base}
    known = SummarisedCases(run.cases, seen.summaries, earlier)
    facts = msgspec.structs.asdict(run) | {"cases": known}
    if seen.tried.excused:
        facts["counts"] = run.counts | {"cases_accepted": seen.tried.excused}
    return Report(**facts, verdict=settlement.verdict, exit_code=settlement.exit_code)


def _highlights(
    run: Evaluation, base: Usable, tried: Tried, compared: _Compared
) -> Iterator[Highlight]:
    """The worst, and of those that went or came the name that they may have on the other side."""
    known = base.baseline.identity.cases if isinstance(base.baseline, Baseline) else {}
    moved = compared.found.choose(Kind.REMOVED, Kind.ADDED)
    names = case_pairs.find_other_names(moved, known, run.identity.cases)
    for pair, kind in highlights.rank_worst(compared.found, tried.accepted):
        shown = highlights.highlight(pair, kind, run, compared.beside, tried.acceptances)
        yield msgspec.structs.replace(shown, other_name=names.get(pair.case_id, ""))


def _choose_shared(paired: Sequence[Pair]) -> Sequence[Pair]:
    """Return the pairs of which some may have a side on the base."""
    return () if isinstance(paired, LonePairs) else paired


def _name_figures(run: Evaluation, seen: Seen) -> list[str]:
    return list(figures.names(_evaluators(run, seen), run.policy.limits))


def _rows(
    run: Evaluation,
    seen: Seen,
    paired: Sequence[Pair],
    base: Usable,
    side: figures.Side | None = None,
) -> Iterator[Measured]:
    known = base.baseline.figures if isinstance(base.baseline, Baseline) else {}
    for figure in _name_figures(run, seen):
        comparable = _comparable(figure, base.common)
        row = figures.measure(figure, paired, comparable=comparable, side=side)
        if figure == "pass_rate":
            row = figures.count_cases(row, paired, run.policy)
        whole = base.common is not None and base.common.whole
        if row.base is None and whole and figure in known:
            row = replace(row, base=known[figure])
        yield row


def _evaluators(run: Evaluation, seen: Seen) -> list[str]:
    """Return the evaluators with a figure: one that judged one case of several has none."""
    several = run.counts.get("cases", 0) > 1
    limits = run.policy.limits
    return [
        name
        for name in run.evaluators
        if not several or seen.judged[name] != 1 or f"{figures.OF_EVALUATOR}{name}" in limits
    ]


def _comparable(figure: str, common: Common | None) -> bool:
    """Amounts do not depend on who judges."""
    if common is None:
        return False
    name = figure.removeprefix(figures.OF_EVALUATOR)
    if name != figure:
        return common.holds(name)
    return common.whole or figures.unit_of(figure) in RATIOS


def _count_pairs(against: Against, paired: Sequence[Pair]) -> Against:
    """With how many pairs the table rests on; without one there is no baseline."""
    number = sum(pair.comparable for pair in paired)
    if against.state is None and not number:
        reason = "the baseline has no case in common with this run"
        if any(pair.lacks_evidence for pair in paired):
            reason = "evidence is missing in every case, in this run or in the baseline"
        if any(pair.has_error for pair in paired):
            reason = "no case has a verdict on both sides: evaluators ended in errors"
        return msgspec.structs.replace(against, state=Change.NO_BASELINE, reason=reason)
    return msgspec.structs.replace(against, paired=number)


def _find_decline(
    run: Evaluation, base: Usable, paired: Sequence[Pair], rows: Sequence[Measured], configs: int
) -> Decline:
    """Decide whether these cases got worse, and the figures over them."""
    limited = any(limit.compares for limit in run.policy.limits.values())
    return agent_decline.find_decline(
        highlights.stand_side_by_side(paired, base.common),
        rows,
        judged=frozenset(run.identity.judged),
        alpha=agent_decline.FALSE_ALARMS / configs / (2 if limited else 1),
    )
