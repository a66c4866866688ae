"""Score the configs of a job, without the secrets that traces may hold.

Secrets are removed before anything is shown: GitHub masks the log, but no comments, files or
artifacts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any, cast

import msgspec

from agentevals.action import job_configs
from agentevals.action.checkouts import Checkouts, move_path, work_in
from agentevals.action.job import Job
from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.grader import Grader
from agentevals.graders.programs import ThirdPartyGrader
from agentevals.judge import AnswerMemory
from agentevals.model.results import CaseReport, Evaluation
from agentevals.model.shards import Shard
from agentevals.run import pipeline, trace_arguments
from agentevals.run.pipeline import Settings
from agentevals.run.run_parts import PartWriter
from agentevals.sandbox.kept_program_outputs import KEY_VARIABLE, KeptRuns
from agentevals.text.redaction import Redactor, join_texts, redact_texts
from agentevals.traces.loaders import Files

OFFLINE = "no judge is asked again about the base"
# what no program is granted on a pull request of a fork; AgentV calls the judge a target
_SECRETS: dict[str, Any] = {"env": (), "judge": False, "target": False}
_WRITING = {"push", "schedule", "workflow_dispatch"}  # events of code that was merged


def redact_report(run: Evaluation, redact: Redactor) -> Evaluation:
    """Return the run without secrets; `redact_case` has removed those of its cases."""
    rest: Evaluation = redact_texts(msgspec.structs.replace(run, cases=()), redact)
    return msgspec.structs.replace(rest, cases=run.cases)


def redact_case(case: CaseReport, redact: Redactor) -> CaseReport:
    """Return the case without secrets; the same one if there is nothing to remove."""
    return cast("CaseReport", redact_texts(case, redact)) if _has_secret(case, redact) else case


def _has_secret(case: CaseReport, redact: Redactor) -> bool:
    text = join_texts(case)
    return redact(text) != text


def score(
    job: Job,
    checkouts: Checkouts,
    config: Path,
    plan: Plan,
    rescue: Callable[[Evaluation], None] | None = None,
) -> Evaluation:
    """Score the traces of the pull request with the plan of a config.

    `rescue` gets what a cancelled run leaves, still with secrets beside its cases.
    """
    root, trace_root = checkouts.config_root, checkouts.trace_root
    traces = find_traces(job, plan, root, trace_root)
    unjudged = _explain_no_judge(job, plan, job.environ)
    memory = _open_memory(checkouts, config)
    plan = replace(plan, tree=root)
    return _run(
        job,
        plan,
        traces,
        trace_root,
        unjudged=unjudged,
        memory=memory,
        rescue=rescue,
        transcribe=not job.explain_unkept() or _are_committed(checkouts, traces),
    )


def score_part(  # noqa: PLR0913, PLR0917 -- what is scored, how much of it, and where it goes
    job: Job, checkouts: Checkouts, config: Path, plan: Plan, shard: Shard, part: PartWriter
) -> None:
    """Score the part of the traces that falls to this job."""
    root, trace_root = checkouts.config_root, checkouts.trace_root
    plan = _lend_nothing(job, replace(plan, tree=root))
    settings = _build_settings(
        job,
        find_traces(job, plan, root, trace_root),
        trace_root,
        unjudged=_explain_no_judge(job, plan, job.environ),
        transcribe=True,
    )
    with work_in(trace_root):
        pipeline.run_shard(plan, settings, shard, part, config=checkouts.name_config(config))


def list_files(patterns: tuple[str, ...], root: Path) -> tuple[tuple[Path, ...], bool]:
    """Return the files that a run reads, and whether only their folders are named."""
    with work_in(root):
        named, _ = trace_arguments.expand(patterns, root=root)
        files = tuple(root / path for path in Files(named) if path.is_file())
        return files, all(path.is_dir() for path in named)


def _are_committed(checkouts: Checkouts, traces: tuple[str, ...]) -> bool:
    """Return whether whoever may read the repository may read these traces anyway."""
    files, _ = list_files(traces, checkouts.trace_root)
    return all(map(checkouts.is_at_head, files))


def _open_memory(checkouts: Checkouts, config: Path) -> AnswerMemory:
    """Return the memory of what judges say by a config of the head."""
    return checkouts.cache.get(("answers", checkouts.name_config(config)), AnswerMemory)


def score_by_base(
    job: Job, there: Checkouts, checkouts: Checkouts, config: Path, head: Plan | None
) -> Evaluation:
    """Score the traces of the pull request with a config of its base, which `there` is.

    The base has no expectations of the cases that are new: those of the head's plan hold.
    """
    plan = job_configs.compile_once(job, there, there.config_root, config)
    plan = replace(plan, expectations=_add_new_cases(plan, head), tree=there.config_root)
    traces = find_traces(job, plan, there.config_root, checkouts.trace_root)
    unjudged = _explain_no_judge(job, plan, job.environ)
    memory = AnswerMemory(_open_memory(there, config))
    return _run(job, plan, traces, checkouts.trace_root, unjudged=unjudged, memory=memory)


def _add_new_cases(base: Plan, head: Plan | None) -> Sequence[Expectation] | None:
    """Return the expectations in the order of the head, and then those that it has removed."""
    if base.expectations is None or head is None:
        return base.expectations
    known = {wanted.case_id: wanted for wanted in base.expectations}
    merged = [known.pop(wanted.case_id, wanted) for wanted in head.expectations or ()]
    return (*merged, *known.values())


def score_offline(job: Job, checkouts: Checkouts, config: Path, root: Path) -> Evaluation:
    """Score the traces of another commit with its own config. No model is asked."""
    plan = replace(job_configs.compile_once(job, checkouts, root, config), tree=root)
    return _run(job, plan, find_traces(job, plan, root, root), root, unjudged=OFFLINE)


def _run(  # noqa: PLR0913 -- what is run, on what, and what it may ask
    job: Job,
    plan: Plan,
    traces: tuple[str, ...],
    root: Path,
    *,
    unjudged: str,
    rescue: Callable[[Evaluation], None] | None = None,
    memory: AnswerMemory | None = None,
    transcribe: bool = False,
) -> Evaluation:
    settings = _build_settings(job, traces, root, unjudged=unjudged, transcribe=transcribe)
    settings = replace(settings, memory=memory, rescue=rescue)
    with work_in(root):
        run = pipeline.run(_lend_nothing(job, plan), settings)
        return redact_report(run, job.log.redact)


def _build_settings(
    job: Job, traces: tuple[str, ...], root: Path, *, unjudged: str, transcribe: bool
) -> Settings:
    return Settings(
        traces=traces,
        jobs=job.inputs.jobs,
        isolation=job.inputs.isolation,
        unjudged=unjudged,
        root=root,
        kept=open_kept(job),
        redact=job.log.redact,
        clean=make_cleaner(job),
        transcribe=transcribe,
    )


def open_kept(job: Job) -> KeptRuns | None:
    """Return what programs have answered in earlier runs.

    Code of a pull request may write whatever lies in a cache, but not sign it: only with a key
    that this code never has, anything is read. Nothing that a pull request comes to is kept.
    """
    if not job.inputs.cache:
        return None
    key = job.environ.get(KEY_VARIABLE, "")
    if job.context.fork or not key:
        why = "for a fork" if job.context.fork else f"without a secret in {KEY_VARIABLE}"
        job.log.notice(f"'cache' is not used {why}; every evaluator is run")
        return None
    folder = job.workspace.resolve(job.inputs.cache, "cache")
    writes = job.context.event in _WRITING and job.context.number is None
    return KeptRuns(folder, key, writes=writes)


def make_cleaner(job: Job) -> Callable[[CaseReport], CaseReport]:
    """Return what removes secrets from a case."""
    return partial(redact_case, redact=job.log.redact)


def _lend_nothing(job: Job, plan: Plan) -> Plan:
    """Return the plan without secrets for programs, if a fork has chosen what they are asked."""
    return plan.change_graders(_drop_secrets) if job.context.fork else plan


def _drop_secrets(grader: Grader) -> Grader:
    """Return an evaluator without the variables and the judge that it is granted."""
    fields = type(grader).model_fields
    lost = {key: value for key, value in _SECRETS.items() if key in fields}
    return grader.model_copy(update=lost) if isinstance(grader, ThirdPartyGrader) else grader


def find_traces(job: Job, plan: Plan, root: Path, goal: Path) -> tuple[str, ...]:
    """Return the traces of the inputs, or else of the config, in the tree at `goal`.

    They are patterns relative to it, so that reports name them as the repository does.
    """
    found = list(plan.traces)
    if job.inputs.traces:
        start = job.workspace.root
        there = replace(
            job.workspace, root=goal, folder=move_path(job.workspace.folder, start, goal)
        )
        found = [escape(str(path)) for path in there.expand(job.inputs.traces, "traces").files]
    for tree in (root, goal):
        top = Path(escape(str(tree)))
        found = [str(move_path(Path(pattern), top, Path())) for pattern in found]
    return tuple(found)


def _explain_no_judge(job: Job, plan: Plan, environ: Mapping[str, str]) -> str:
    """Explain a missing key: runs for forks and Dependabot get no secrets."""
    if not (job.context.fork or job.context.dependabot):
        return ""
    variable = plan.judge.key_variable if plan.judge else ""
    if not variable or environ.get(variable):
        return ""
    whose = "a fork" if job.context.fork else "Dependabot"
    return (
        f"there is no key for the judge ({variable}), because a run for {whose} gets no secrets; "
        "somebody with write permission can evaluate it by a comment"
    )
