"""The whole story: recorded traces and a config go in, a report comes out."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from agentevals.configs.plan import Plan
from agentevals.files.spool import Spool
from agentevals.graders.grader import Services
from agentevals.judge import create_judge
from agentevals.model.cases import Case
from agentevals.model.completeness import TurnGap
from agentevals.model.conversations import Conversation, ToolCall, Turn
from agentevals.model.errors import InputError
from agentevals.model.results import (
    CaseReport,
    Evaluation,
    Finding,
    Policy,
    Result,
    Severity,
    TurnRef,
)
from agentevals.model.shards import WHOLE, Shard
from agentevals.model.version import VERSION
from agentevals.run import identity, trace_files, verdict
from agentevals.run.engine import Graded, grade_all
from agentevals.run.pairing import Pairing
from agentevals.traces import loaders, performance
from agentevals.traces import turns as conversations
from agentevals.traces.loaders import Recordings

_HELD_BYTES = 32 * 2**20  # of case reports in memory; a longer run keeps them on disk
_CALLS = 60  # tool calls outlined per case


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of one run. What is None is left to the config, then to the default."""

    traces: tuple[str, ...] = ()
    jobs: int | None = None
    isolation: str | None = None
    shard: Shard = WHOLE
    # why no judge may be asked; what only a judge can evaluate is then not evaluated
    unjudged: str = ""
    # the folder that trace files must lie in, links followed; anywhere when None
    root: Path | None = None
    # what a model behind an API gets of a text
    redact: Callable[[str], str] = str
    # what is kept of the report of a case, in place of the report
    clean: Callable[[CaseReport], CaseReport] | None = None
    # called with the number of cases done and the number of traces there are
    progress: Callable[[int, int], None] | None = None


def run(plan: Plan, settings: Settings) -> Evaluation:
    """Every stage is one call; the types in between are the ones in `model`."""
    started = perf_counter()
    for grader in plan.all_graders:
        grader.prepare()
    recordings, missing = _recordings(plan, settings)
    services = Services(
        judge=create_judge(plan.judge, settings.redact),
        isolation=settings.isolation,
        unjudged=settings.unjudged,
        redact=settings.redact,
    )
    pairing = Pairing(
        plan.expectations,
        plan.policy,
        needed=plan.needs_expectations,
        shard=settings.shard,
        pairs=plan.pair,
    )
    cases = pairing.pair(_conversations(plan, recordings))
    graded = grade_all(plan, cases, services, jobs=settings.jobs or plan.jobs or _cores())
    tally, reports, aggregate = _judge_cases(plan, graded, len(recordings.traces), settings)
    found = _findings(missing, recordings, pairing)
    return Evaluation(
        title=plan.title,
        cases=reports,
        findings=(*plan.findings, *found, *tally.missed_gates),
        score=tally.score,
        counts=tally.counts,
        evaluators=tuple(dict.fromkeys(grader.name for grader in plan.outer_graders)),
        overall=_overall(plan, reports, services),
        eval_set_id=plan.eval_set_id,
        performance=aggregate.result(),
        isolation=tally.isolation,
        judge=_describe_judge(services),
        version=VERSION,
        identity=identity.identify(plan),
        policy=plan.policy,
        shard="" if settings.shard == WHOLE else str(settings.shard),
        duration_ms=(perf_counter() - started) * 1000,
    )


def _recordings(plan: Plan, settings: Settings) -> tuple[Recordings, list[Finding]]:
    patterns = settings.traces or plan.traces
    if not patterns:
        msg = "no traces to score; name trace files, or list them under 'traces:' in the config"
        raise InputError(msg)
    paths, missing = trace_files.expand(patterns, root=settings.root)
    return loaders.load(paths, trace_format=plan.trace_format), missing


def _findings(
    missing: list[Finding], recordings: Recordings, pairing: Pairing
) -> tuple[Finding, ...]:
    """Return the findings. If nothing could be read, those that follow from that are omitted."""
    reading = (*missing, *recordings.findings)
    if not recordings.traces and any(f.severity is Severity.ERROR for f in reading):
        return reading
    return (*reading, *pairing.findings())


def _conversations(plan: Plan, recordings: Recordings) -> Iterator[Conversation]:
    return conversations.converse(
        recordings.traces,
        group_by=plan.group_by or "auto",
        multi_turn_expected=any(len(e.turns or ()) > 1 for e in plan.expectations or ()),
    )


def _describe_judge(services: Services) -> dict[str, Any]:
    """Return the cost of judging, and every host that was asked."""
    usage = services.judge.usage()
    hosts = sorted({*usage.get("hosts", ()), *services.hosts})
    return usage | ({"hosts": hosts} if hosts else {})


def _cores() -> int:
    return os.cpu_count() or 1


def _judge_cases(
    plan: Plan, graded: Iterator[Graded], expected: int, settings: Settings
) -> tuple[verdict.Tally, Spool[CaseReport], performance.RunPerformance]:
    """Walks the run once: what is kept of a case is its report."""
    tally, aggregate = verdict.Tally(), performance.RunPerformance()
    reports: Spool[CaseReport] = Spool(CaseReport, budget=_HELD_BYTES)
    for done, (case, results) in enumerate(graded, start=1):
        report = _make_report(case, results, plan.policy_for(case))
        report = settings.clean(report) if settings.clean else report
        tally.add(report)
        aggregate.add(report.performance)
        reports.append(report)
        if settings.progress:
            settings.progress(done, expected)
    return tally, reports, aggregate


def _overall(
    plan: Plan, reports: Sequence[CaseReport], services: Services
) -> dict[str, dict[str, Any]]:
    """Return what the evaluators say of all cases together, if they say anything."""
    asked = {
        grader.name: grader for grader in reversed(plan.outer_graders) if grader.judges_overall
    }
    results: dict[str, list[Result]] = {name: [] for name in reversed(asked)}
    for report in reports if asked else ():
        for result in report.results:
            if result.name in results:
                results[result.name].append(result)
    return {name: asked[name].overall(given, services) for name, given in results.items()}


def _make_report(case: Case, results: tuple[Result, ...], policy: Policy) -> CaseReport:
    score = verdict.score_of(results)
    conversation = case.conversation
    turns = conversation.turns
    return CaseReport(
        case_id=case.case_id,
        verdict=verdict.judge_case(results, score, policy),
        score=score,
        eval_case_id=case.eval_case_id,
        conversation_id=conversation.conversation_id,
        trace_ids=conversation.trace_ids,
        sources=conversation.sources,
        user=turns[0].user if turns else "",
        turns=len(turns),
        results=results,
        warnings=conversation.warnings,
        error=conversation.error,
        performance=performance.measure(turns, elapsed_ns=conversation.elapsed_ns),
        turn_performance=tuple(performance.measure((turn,)) for turn in turns),
        turn_refs=tuple(
            TurnRef(trace_id=turn.trace_id, span_id=turn.span_id, agent=turn.agent)
            for turn in turns
        ),
        calls=tuple(
            islice(map(_outline, chain.from_iterable(t.tool_calls for t in turns)), _CALLS)
        ),
        gaps=tuple(_list_gaps(turns)) or msgspec.UNSET,
        lacks_evidence=verdict.lacks_evidence(results, score, policy) or msgspec.UNSET,
    )


def _list_gaps(turns: Sequence[Turn]) -> Iterator[TurnGap]:
    for number, turn in enumerate(turns, start=1):
        for gap in turn.gaps:
            yield TurnGap(turn=number, **msgspec.structs.asdict(gap))


def _outline(call: ToolCall) -> str:
    """`issue_refund(amount, order)`: what was called with which arguments, not their values."""
    return f"{call.name}({', '.join(call.args or ())})"
