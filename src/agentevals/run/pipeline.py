"""The whole story: recorded traces and a config go in, a report comes out."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any, cast

import msgspec

from agentevals.configs.plan import Plan
from agentevals.files.workers import count_cores, use_cores
from agentevals.graders.grader import Services
from agentevals.graders.programs.program_grants import list_values
from agentevals.judge import AnswerMemory, create_judge
from agentevals.model.errors import InputError
from agentevals.model.results import CaseReport, Evaluation, Finding, Partial
from agentevals.model.shards import Shard
from agentevals.run import cluster_run, trace_arguments
from agentevals.run.case_judging import Judging, add_part
from agentevals.run.case_keeping import Clean, Gatherer, Tell, Writer
from agentevals.run.engines import Cluster
from agentevals.run.families import Families
from agentevals.run.pairing import Pairing
from agentevals.run.partitions import make_job, make_pairing
from agentevals.run.run_costs import CostTally, list_prices
from agentevals.run.run_frame import Frame, describe_frame, reduce_results
from agentevals.run.run_parts import Foot, PartWriter
from agentevals.run.run_totals import Gathering, Judged, Rest, Sums, keep_reports
from agentevals.run.run_transcripts import choose_kind, pack_transcript
from agentevals.sandbox import cancelling
from agentevals.sandbox.kept_program_outputs import KeptRuns
from agentevals.text.redaction import Redactor, redact_texts
from agentevals.traces import loaders
from agentevals.traces.loaders import Recordings
from agentevals.traces.turns import read_groups
from agentevals.traces.turns.conversation_groups import Groups, find_groups

_HELD_BYTES = 12 * 2**20  # of case reports in memory; a longer run keeps them on disk
_TO_COUNT = 0.7  # seconds that a cancelled run takes to count the cases that are left


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of one run. What is None is left to the config, then to the default."""

    traces: tuple[str, ...] = ()
    jobs: int | None = None
    isolation: str | None = None
    # why no judge may be asked; what only a judge can evaluate is then not evaluated
    unjudged: str = ""
    # keeps the answers of judges, and knows those of an earlier run
    memory: AnswerMemory | None = None
    # what programs have printed in earlier runs
    kept: KeptRuns | None = None
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
    gathering: Gathering
    costs: CostTally
    services: Services = field(default_factory=Services)
    hide: Redactor | None = None
    recordings: Recordings = field(default_factory=lambda: Recordings(()))
    traces: int = 0
    missing: list[Finding] = field(default_factory=list)

    @property
    def milliseconds(self) -> float:
        return (perf_counter() - self.started) * 1000

    def hide_values(self, found: Any) -> Any:
        """Return something without the values that programs are given."""
        return redact_texts(found, self.hide) if self.hide else found


def run(plan: Plan, settings: Settings) -> Evaluation:
    """Every stage is one call; the types in between are the ones in `model`."""
    known = _make_progress(plan, settings)
    try:
        return _run(plan, settings, known)
    except cancelling.Cancelled:
        if settings.rescue:
            settings.rescue(_build_partial(plan, known))
        raise


def run_shard(
    plan: Plan, settings: Settings, shard: Shard, part: PartWriter, *, config: str
) -> None:
    """Judge a part of the conversations, and write down what they come to."""
    known = _make_progress(plan, settings)
    paths, pairing = _begin(plan, settings, known), make_pairing(plan)
    groups = _find_groups(plan, known.recordings)
    conversations = shard.cut(groups.weigh())

    judging = _build_judging(plan, settings, known, pairing, groups)
    judging.walk(Writer(part, *_watch(settings, known, len(conversations))), conversations)
    _trim(settings)
    foot = Foot(
        shard=str(shard),
        config=config,
        output=plan.output_format or "",
        traces=loaders.digest_files(paths),
        agent=plan.agent.compute_digest() if plan.agent else "",
        frame=_describe_frame(plan, known),
        rest=_describe_rest(pairing, known.services),
        duration_ms=known.milliseconds,
    )
    part.end(known.hide_values(foot))


def _make_progress(plan: Plan, settings: Settings) -> _Progress:
    use_cores(settings.jobs or plan.jobs)
    families, costs = Families(plan), CostTally(list_prices(plan))
    kind = choose_kind(transcribe=settings.transcribe)
    reports = keep_reports(kind, budget=_HELD_BYTES)
    gathering = Gathering(reports, families.count, Sums(costs))
    return _Progress(perf_counter(), families, gathering, costs)


def _begin(plan: Plan, settings: Settings, known: _Progress) -> list[Path]:
    """Begin what every run begins with; return the files that are given, of which all are read."""
    if settings.cluster:
        cluster_run.refuse_programs(plan)
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
        kept=settings.kept,
        tree=plan.tree,
    )
    return paths


def _run(plan: Plan, settings: Settings, known: _Progress) -> Evaluation:
    paths, pairing = _begin(plan, settings, known), make_pairing(plan)
    if settings.cluster:
        job = make_job(plan, transcribe=settings.transcribe)
        done = cluster_run.distribute(settings.cluster, job, paths)
        known.traces, known.recordings = done.traces, Recordings((), done.findings)
        keeper = Gatherer(known.gathering, *_watch(settings, known, known.traces))
        for part in done.take():
            add_part(part, pairing, known.services, known.families.count, keeper.keep)
    else:
        groups = _find_groups(plan, known.recordings)
        judging = _build_judging(plan, settings, known, pairing, groups)
        judging.walk(Gatherer(known.gathering, *_watch(settings, known, len(groups))))
    known.gathering.reports.flush()
    overall = reduce_results(plan, known.gathering.reports, known.services)
    rest = _describe_rest(pairing, known.services)
    _trim(settings)
    whole = msgspec.structs.replace(
        known.gathering.build(_describe_frame(plan, known), rest),
        overall=overall,
        duration_ms=known.milliseconds,
    )
    # those of its cases have gone
    shown = known.hide_values(msgspec.structs.replace(whole, cases=()))
    return cast("Evaluation", msgspec.structs.replace(shown, cases=whole.cases))


def _describe_frame(plan: Plan, known: _Progress) -> Frame:
    reading = (*known.missing, *known.recordings.findings)
    return describe_frame(plan, reading, has_traces=known.traces > 0)


def _trim(settings: Settings) -> None:
    if settings.kept:
        settings.kept.trim()


def _describe_rest(pairing: Pairing, services: Services) -> Rest:
    return Rest(
        left=pairing.left,
        remarks=services.findings,
        judge=_describe_judge(services),
        # not every judge knows which of its settings were refused
        refused=tuple(getattr(services.judge, "list_refused", tuple)()),
    )


def _build_partial(plan: Plan, known: _Progress) -> Evaluation:
    """Return what is known of a cancelled run. What only all cases together say is omitted."""
    return msgspec.structs.replace(
        known.gathering.describe(_describe_frame(plan, known), _describe_judge(known.services)),
        findings=(*plan.findings, *known.missing, *known.recordings.findings),
        partial=Partial(done=len(known.gathering.reports), of=_count_cases(plan, known)),
        duration_ms=known.milliseconds,
    )


def _count_cases(plan: Plan, known: _Progress) -> int | None:
    """Pair all cases anew, because nobody knows before how many there are; None if that is slow.

    A single long conversation may take too long, so that a thread does it.
    """
    counted: list[int] = []

    def count() -> None:
        conversations = read_groups(_find_groups(plan, known.recordings))
        cases = make_pairing(plan).pair(conversations)
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
    return trace_arguments.expand(patterns, root=settings.root)


def _find_groups(plan: Plan, recordings: Recordings) -> Groups:
    return find_groups(recordings.traces, plan.grouping)


def _describe_judge(services: Services) -> dict[str, Any]:
    """Return the cost of judging, and every host that was asked."""
    usage = services.judge.usage()
    hosts = sorted({*usage.get("hosts", ()), *services.hosts})
    return usage | ({"hosts": hosts} if hosts else {})


def _build_judging(
    plan: Plan, settings: Settings, known: _Progress, pairing: Pairing, groups: Groups
) -> Judging:
    return Judging(
        plan=plan,
        services=known.services,
        families=known.families,
        costs=known.costs,
        pairing=pairing,
        groups=groups,
        jobs=settings.jobs or plan.jobs or count_cores(),
        transcribe=settings.transcribe,
    )


def _watch(settings: Settings, known: _Progress, conversations: int) -> tuple[Clean, Tell]:
    """Return what cleans a case that is kept, and what is told when it is."""

    def clean(judged: Judged) -> Judged:
        """Return a case as it is kept: without values that nobody may read."""
        report = settings.clean(judged.report) if settings.clean else judged.report
        packed = pack_transcript(known.hide_values(report))
        return judged if packed is judged.report else judged._replace(report=packed)

    def tell(number: int) -> None:
        if settings.progress:
            settings.progress(number, conversations)

    return clean, tell
