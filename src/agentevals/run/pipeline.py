"""The whole story: recorded traces and a config go in, a report comes out."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any, cast

import msgspec

from agentevals.configs.plan import Plan
from agentevals.files.spool import Spool
from agentevals.files.workers import count_cores, use_cores
from agentevals.graders.grader import Services
from agentevals.graders.programs.lending import list_values
from agentevals.judge import AnswerMemory, create_judge
from agentevals.model.errors import InputError
from agentevals.model.results import CaseReport, Evaluation, Finding, Partial, Result, Severity
from agentevals.model.shards import WHOLE, Shard
from agentevals.model.version import VERSION
from agentevals.run import distribution, identity, trace_files, verdict
from agentevals.run.attempts import Places
from agentevals.run.costs import CostTally, list_prices
from agentevals.run.engines import Cluster
from agentevals.run.families import Families
from agentevals.run.judging import Judged, Judging, add_part
from agentevals.run.pairing import Pairing
from agentevals.run.partitions import make_job, make_pairing
from agentevals.run.transcripts import choose_kind, pack_transcript
from agentevals.sandbox import cancelling
from agentevals.text.redaction import Redactor, redact_texts
from agentevals.traces import loaders, performance
from agentevals.traces.loaders import Recordings
from agentevals.traces.turns import read_groups
from agentevals.traces.turns.groups import Groups, find_groups

_HELD_BYTES = 12 * 2**20  # of case reports in memory; a longer run keeps them on disk
_TO_COUNT = 0.7  # seconds that a cancelled run takes to count the cases that are left


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of one run. What is None is left to the config, then to the default."""

    traces: tuple[str, ...] = ()
    jobs: int | None = None
    isolation: str | None = None
    shard: Shard = WHOLE
    # why no judge may be asked; what only a judge can evaluate is then not evaluated
    unjudged: str = ""
    # keeps the answers of judges, and knows those of an earlier run
    memory: AnswerMemory | None = None
    # the folder that trace files must lie in, links followed; anywhere when None
    root: Path | None = None
    # what a model behind an API gets of a text
    redact: Callable[[str], str] = str
    # what is kept of the report of a case, in place of the report
    clean: Callable[[CaseReport], CaseReport] | None = None
    # whether cases keep their transcripts, for pages that show them
    transcribe: bool = False
    # where partitions of the run are judged; in this process and its forks when None
    cluster: Cluster | None = None
    # called with the number of conversations that are done, and that there are
    progress: Callable[[int, int], None] | None = None
    # called with what is known if the run is cancelled, before Cancelled is raised on
    rescue: Callable[[Evaluation], None] | None = None


@dataclass
class _Progress:
    """The facts that a run has found out so far."""

    started: float
    families: Families
    reports: Spool[CaseReport]
    services: Services = field(default_factory=Services)
    hide: Redactor | None = None
    recordings: Recordings = field(default_factory=lambda: Recordings(()))
    traces: int = 0
    missing: list[Finding] = field(default_factory=list)
    tally: verdict.Tally = field(default_factory=verdict.Tally)
    places: Places = field(default_factory=Places)
    used: performance.RunPerformance = field(default_factory=performance.RunPerformance)
    costs: CostTally = field(default_factory=lambda: CostTally({}))


def run(plan: Plan, settings: Settings) -> Evaluation:
    """Every stage is one call; the types in between are the ones in `model`."""
    use_cores(settings.jobs or plan.jobs)
    known = _Progress(
        perf_counter(),
        Families(plan),
        costs=CostTally(list_prices(plan)),
        reports=Spool(choose_kind(transcribe=settings.transcribe), budget=_HELD_BYTES),
    )
    try:
        return _run(plan, settings, known)
    except cancelling.Cancelled:
        if settings.rescue:
            settings.rescue(_build_partial(plan, settings, known))
        raise


def _run(plan: Plan, settings: Settings, known: _Progress) -> Evaluation:
    if settings.cluster:
        distribution.refuse_programs(plan)
    for grader in plan.all_graders:
        grader.prepare()
    paths, known.missing = _expand(plan, settings)
    if not settings.cluster:
        known.recordings = loaders.load(paths, trace_format=plan.trace_format)
        known.traces = len(known.recordings.traces)
    values = list_values(plan.granted_variables)
    known.hide = Redactor(values) if values else None
    known.services = Services(
        judge=create_judge(plan.judge, settings.redact, settings.memory),
        isolation=settings.isolation,
        unjudged=settings.unjudged,
        redact=settings.redact,
        tree=plan.tree,
    )
    pairing = make_pairing(plan, settings.shard)
    if settings.cluster:
        done = distribution.distribute(
            settings.cluster, make_job(plan, settings.shard, transcribe=settings.transcribe), paths
        )
        known.traces, known.recordings = done.traces, Recordings((), done.findings)
        keep = partial(_keep, settings, known, known.traces)
        for part in done.take():
            add_part(part, pairing, known.services, known.families, keep)
    else:
        _judge_cases(plan, pairing, settings, known)
    found = _findings(known, pairing)
    overall = _overall(plan, known.reports, known.services)
    evaluation = _build_evaluation(plan, settings, known)
    whole = msgspec.structs.replace(
        evaluation,
        findings=(
            *plan.findings,
            *found,
            *evaluation.findings,
            *_remarks(known.services),
            *_find_refused(known.services),
        ),
        overall=overall,
    )
    return _hide_values(whole, known.hide) if known.hide else whole


def _hide_values(run: Evaluation, hide: Redactor) -> Evaluation:
    """Return the run without the values that programs are given; those of its cases have gone."""
    rest: Evaluation = redact_texts(msgspec.structs.replace(run, cases=()), hide)
    return msgspec.structs.replace(rest, cases=run.cases)


def _build_evaluation(plan: Plan, settings: Settings, known: _Progress) -> Evaluation:
    cases, tally = _join_attempts(plan, known)
    return Evaluation(
        title=plan.title,
        cases=cases,
        findings=tally.missed_gates,
        score=tally.score,
        counts=tally.counts,
        evaluators=tuple(dict.fromkeys(grader.name for grader in plan.outer_graders)),
        eval_set_id=plan.eval_set_id,
        performance=known.used.result(),
        recording_cost=known.costs.result() or msgspec.UNSET,
        isolation=tally.isolation,
        judge=_describe_judge(known.services),
        version=VERSION,
        identity=identity.identify(plan),
        policy=plan.policy,
        shard="" if settings.shard == WHOLE else str(settings.shard),
        duration_ms=(perf_counter() - known.started) * 1000,
    )


def _join_attempts(plan: Plan, known: _Progress) -> tuple[Sequence[CaseReport], verdict.Tally]:
    """Return the cases with their counts: several attempts of a case are one case."""
    cases = known.places.join(known.reports, plan.policy)
    if cases is known.reports:
        return cases, known.tally
    tally = verdict.Tally(attempts=len(known.reports) if len(cases) < len(known.reports) else 0)
    for case in cases:
        tally.add(case)
    return cases, tally


def _build_partial(plan: Plan, settings: Settings, known: _Progress) -> Evaluation:
    """Return what is known of a cancelled run. What only all cases together say is omitted."""
    return msgspec.structs.replace(
        _build_evaluation(plan, settings, known),
        findings=(*plan.findings, *known.missing, *known.recordings.findings),
        partial=Partial(done=len(known.reports), of=_count_cases(plan, settings, known)),
    )


def _count_cases(plan: Plan, settings: Settings, known: _Progress) -> int | None:
    """Pair all cases anew, because nobody knows before how many there are; None if that is slow.

    A single long conversation may take too long, so that a thread does it.
    """
    counted: list[int] = []

    def count() -> None:
        conversations = read_groups(_find_groups(plan, known.recordings))
        cases = make_pairing(plan, settings.shard).pair(conversations)
        with suppress(OSError):  # the process ends meanwhile, and closes its files
            counted.append(sum(1 for _ in cases))

    counting = Thread(target=count, daemon=True)
    counting.start()
    counting.join(_TO_COUNT)
    return (counted[0] if counted else 0) or None


def _expand(plan: Plan, settings: Settings) -> tuple[list[Path], list[Finding]]:
    patterns = settings.traces or plan.traces
    if not patterns:
        msg = "no traces to score; name trace files, or list them under 'traces:' in the config"
        raise InputError(msg)
    return trace_files.expand(patterns, root=settings.root)


def _findings(known: _Progress, pairing: Pairing) -> tuple[Finding, ...]:
    """Return the findings. If nothing could be read, those that follow from that are omitted."""
    reading = (*known.missing, *known.recordings.findings)
    if not known.traces and any(f.severity is Severity.ERROR for f in reading):
        return reading
    return (*reading, *pairing.findings(), *known.families.findings())


def _find_groups(plan: Plan, recordings: Recordings) -> Groups:
    return find_groups(recordings.traces, plan.grouping)


def _remarks(services: Services) -> list[Finding]:
    """Return what evaluators have said beside their grades; not in the order of their threads."""
    return [services.findings[said] for said in sorted(services.findings)]


def _describe_judge(services: Services) -> dict[str, Any]:
    """Return the cost of judging, and every host that was asked."""
    usage = services.judge.usage()
    hosts = sorted({*usage.get("hosts", ()), *services.hosts})
    return usage | ({"hosts": hosts} if hosts else {})


def _find_refused(services: Services) -> Iterator[Finding]:
    """Yield a warning for each setting of a judge that was not used. Not every judge knows them."""
    for message in getattr(services.judge, "list_refused", tuple)():
        yield Finding(severity=Severity.WARNING, rule="judge-setting-refused", message=message)


def _judge_cases(plan: Plan, pairing: Pairing, settings: Settings, known: _Progress) -> None:
    """Walks the run once: what is kept of a case is its report."""
    groups = _find_groups(plan, known.recordings)
    judging = Judging(
        plan=plan,
        services=known.services,
        families=known.families,
        costs=known.costs,
        pairing=pairing,
        groups=groups,
        jobs=settings.jobs or plan.jobs or count_cores(),
        transcribe=settings.transcribe,
    )
    judging.walk(partial(_keep, settings, known, len(groups)))
    known.reports.flush()


def _keep(settings: Settings, known: _Progress, conversations: int, judged: Judged) -> None:
    report = settings.clean(judged.report) if settings.clean else judged.report
    report = cast("CaseReport", redact_texts(report, known.hide)) if known.hide else report
    report = pack_transcript(report)
    known.tally.add(report)
    known.places.add(report, judged.start_ns)
    known.used.add(report.performance)
    known.costs.add(judged.spent)
    known.reports.append(report)
    if settings.progress:
        settings.progress(len(known.reports), conversations)


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
