"""What a run means beside an earlier one: the stage between verdict and reporters. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import msgspec

from agentevals.compare import (
    cases,
    compatibility,
    counting,
    figures,
    gates,
    highlights,
    kinds,
    regressions,
)
from agentevals.compare.acceptance import Acceptances
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.compare.cases import Pair
from agentevals.compare.compatibility import Common
from agentevals.compare.figures import Measured
from agentevals.compare.highlights import Beside
from agentevals.compare.settlement import Settlement, Tried
from agentevals.compare.statistics import power
from agentevals.model.results import CaseReport, Finding, Report
from agentevals.model.review import Against, Change, FailOn, Gate, Highlight, Kind, Section
from agentevals.model.shards import Shard

_Found = list[tuple[Pair, Kind]]


def section(
    report: Report,
    baseline: Baseline | NoBaseline,
    *,
    config: str,
    today: date,
    fail_on: FailOn = FailOn.FAILED,
) -> Section:
    """The run of one config as a pull request is told about it."""
    base = _base(report, baseline, today)
    paired = cases.pairs(report.cases, base.usable, base.common)
    moved = kinds.moved(paired, base.common)
    found = [(p, kind) for p in paired if (kind := kinds.kind(p, base.common, moved)) is not None]
    beside = Beside(frozenset(report.identity.judged), base.common, moved)
    acceptances = Acceptances(report.policy.accepted, today)
    tried = Tried(report.policy, acceptances)
    for case in report.cases:
        tried.add(case)
    rows = list(_rows(report, paired, base))
    against = _paired(base.against, paired, rows)
    judged = gates.judged(rows, report.policy, against)
    names_known = not report.identity.cases and not report.shard
    findings = (*report.findings, *acceptances.findings(names_known=names_known))
    settlement = Settlement(
        tried=tried,
        findings=findings,
        gates=judged,
        regressed=regressions.of_cases(found, beside, tried.accepted, against),
        has_fallen=_has_fallen(judged, report, paired, base, tried),
        fail_on=fail_on,
        idle=report.holds_nothing,
    )
    return Section(
        config=config,
        title=report.title,
        verdict=settlement.verdict,
        exit_code=settlement.exit_code,
        fail_on=fail_on,
        score=report.score,
        counts=counting.counted(found, tried, report),
        gates=judged,
        highlights=tuple(_highlights(found, report, base, beside, tried)),
        against=against,
        findings=findings,
        trend=base.usable.history if isinstance(base.usable, Baseline) else (),
        identity=report.identity,
        report=report,
    )


def alone(
    tried: Tried,
    found: Iterable[CaseReport],
    evaluators: Sequence[str],
    findings: tuple[Finding, ...],
    *,
    idle: bool = False,
) -> Settlement:
    """What a run comes to with nothing beside it."""
    policy = tried.policy
    limited = [name for name in figures.names(evaluators, policy.limits) if name in policy.limits]
    judged: tuple[Gate, ...] = ()
    if limited:
        sides = cases.pairs(found, NoBaseline(reason=""), None)
        rows = [figures.measured(name, sides, comparable=False) for name in limited]
        judged = gates.judged(rows, policy, Against(state=Change.NO_BASELINE))
    return Settlement(tried=tried, findings=findings, gates=judged, idle=idle)


def told(section: Section, report: Report) -> Report:
    """The report with the outcome of its section, for those who read nothing but reports."""
    return msgspec.structs.replace(
        report,
        verdict=section.verdict,
        exit_code=section.exit_code,
        findings=(*section.findings, *gates.findings(section.gates)),
    )


@dataclass(frozen=True)
class _Base:
    """What is left of a baseline once it is known how far it can be used."""

    usable: Baseline | NoBaseline
    against: Against
    common: Common | None = None


def _highlights(
    found: _Found, report: Report, base: _Base, beside: Beside, tried: Tried
) -> Iterator[Highlight]:
    """The worst, and of those that went or came the name that they may have on the other side."""
    known = base.usable.identity.cases if isinstance(base.usable, Baseline) else {}
    names = cases.renamed(found, known, report.identity.cases)
    for pair, kind in highlights.ranked(found, tried.accepted):
        shown = highlights.highlight(pair, kind, report, beside, tried.acceptances)
        yield msgspec.structs.replace(shown, other_name=names.get(pair.case_id, ""))


def _base(report: Report, baseline: Baseline | NoBaseline, today: date) -> _Base:
    if isinstance(baseline, NoBaseline):
        return _Base(baseline, Against(state=Change.NO_BASELINE, reason=baseline.reason))
    origin = baseline.origin
    too_old = _too_old(origin.made_at, report.policy.max_baseline_age_days, today)
    if too_old:
        against = Against(state=Change.STALE, reason=too_old, origin=origin)
        return _Base(NoBaseline(reason=too_old), against)
    baseline = _of_shard(baseline, Shard.of(report.shard))
    common = compatibility.common(report.identity, baseline)
    if common.whole:
        return _Base(baseline, Against(origin=origin), common)
    reason = "; ".join(common.obstacles)
    against = Against(state=Change.INCOMPATIBLE, reason=reason, origin=origin)
    if any(not case.outcomes for case in baseline.cases):  # too little is known to compare in part
        return _Base(NoBaseline(reason=reason), against)
    return _Base(baseline, against, common)


def _of_shard(baseline: Baseline, shard: Shard) -> Baseline:
    """What the other shards judge was not removed."""
    kept = tuple(case for case in baseline.cases if shard.holds(case.case_id))
    return msgspec.structs.replace(baseline, cases=kept)


def _too_old(made_at: str, days: float | None, today: date) -> str:
    if days is None:
        return ""
    try:
        made = datetime.fromisoformat(made_at)
    except ValueError:
        return "nobody knows how old the baseline is"
    made = made if made.tzinfo else made.replace(tzinfo=UTC)
    age = datetime(today.year, today.month, today.day, tzinfo=UTC) - made
    if age / timedelta(days=1) <= days:
        return ""
    return f"the baseline is {age.days} days old, and {days:g} are allowed"


def _rows(report: Report, paired: Sequence[Pair], base: _Base) -> Iterable[Measured]:
    known = base.usable.figures if isinstance(base.usable, Baseline) else {}
    for figure in figures.names(_evaluators(report), report.policy.limits):
        row = figures.measured(figure, paired, comparable=_comparable(figure, base.common))
        whole = base.common is not None and base.common.whole
        if row.base is None and whole and figure in known:
            row = replace(row, base=known[figure])
        yield row


def _evaluators(report: Report) -> list[str]:
    """Those that say something about the run: what a single case of several has is no figure."""
    judged = Counter(result.name for case in report.cases for result in case.results)
    several = report.counts.get("cases", 0) > 1
    limits = report.policy.limits
    return [
        name
        for name in report.evaluators
        if not several or judged[name] != 1 or f"{figures.OF_EVALUATOR}{name}" in limits
    ]


def _comparable(figure: str, common: Common | None) -> bool:
    """Amounts do not depend on who judges."""
    if common is None:
        return False
    name = figure.removeprefix(figures.OF_EVALUATOR)
    if name != figure:
        return common.holds(name)
    return common.whole or figures.unit_of(figure) in figures.RATIOS


def _paired(against: Against, paired: Sequence[Pair], rows: Sequence[Measured]) -> Against:
    """With what the table rests on: how many pairs, and how small a drop they can show."""
    number = sum(pair.comparable for pair in paired)
    if against.state is None and not number:
        reason = "the baseline has no case in common with this run"
        return msgspec.structs.replace(against, state=Change.NO_BASELINE, reason=reason)
    row = next((row for row in rows if row.figure == "pass_rate" and row.pairs > 1), None)
    smallest = None
    if row is not None:
        deviation = row.deviation or 1 / math.sqrt(row.pairs)
        smallest = min(1.0, power.detectable_difference(deviation, row.pairs))
    return msgspec.structs.replace(against, paired=number, detectable=smallest)


def _has_fallen(
    judged: Sequence[Gate], report: Report, paired: Sequence[Pair], base: _Base, tried: Tried
) -> bool:
    """Whether a figure of the cases for which nobody answers got worse for certain."""
    if tried.accepted and any(gate.has_fallen for gate in judged):
        others = [pair for pair in paired if pair.case_id not in tried.accepted]
        judged = gates.judged(list(_rows(report, others, base)), report.policy, base.against)
    return any(gate.has_fallen for gate in judged)
