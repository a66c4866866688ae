"""Scoring one config: that of the checkout, or of the base if the pull request must not decide."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentevals.action import config_files
from agentevals.action.checkouts import Checkouts, move_path, work_in
from agentevals.action.job import Job
from agentevals.action.redaction import redact_case, redact_report
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Plan
from agentevals.github.runner.secrets import collect_secrets
from agentevals.model.results import Evaluation
from agentevals.model.shards import WHOLE
from agentevals.run import pipeline
from agentevals.run.settings import Settings

OFFLINE = "no judge is asked again about the base"
_KEY = "credential_ref"  # where an evaluator says which variable holds the key of its own judge


def choose_configs(job: Job, checkouts: Checkouts) -> tuple[Path, ...]:
    """Return the configs of the tree that decides."""
    there = replace(
        job.workspace,
        root=checkouts.config_root,
        folder=move_path(job.workspace.folder, job.workspace.root, checkouts.config_root),
    )
    return config_files.find_configs(replace(job, workspace=there))


def score(job: Job, checkouts: Checkouts, config: Path) -> Evaluation:
    """Score the traces of the pull request with a config."""
    root, trace_root = checkouts.config_root, checkouts.trace_root
    plan = compile_once(job, checkouts, root, config)
    traces = _find_traces(job, plan, root, trace_root)
    return _run(job, plan, traces, trace_root, unjudged=_explain_no_judge(job, plan, job.environ))


def score_offline(job: Job, checkouts: Checkouts, config: Path, root: Path) -> Evaluation:
    """Score the traces of another commit with its own config. No model is asked."""
    plan = compile_once(job, checkouts, root, config)
    return _run(job, plan, _find_traces(job, plan, root, root), root, unjudged=OFFLINE)


def _run(job: Job, plan: Plan, traces: tuple[str, ...], root: Path, *, unjudged: str) -> Evaluation:
    settings = Settings(
        traces=traces,
        jobs=job.inputs.jobs,
        isolation=job.inputs.isolation,
        shard=job.inputs.shard or WHOLE,
        unjudged=unjudged,
        root=root,
        clean=partial(redact_case, redact=job.log.redact),
    )
    with work_in(root):
        return redact_report(pipeline.run(plan, settings), job.log.redact)


def compile_once(job: Job, checkouts: Checkouts, root: Path, config: Path) -> Plan:
    """Return the plan of a config of the tree at `root`. Each is compiled once."""
    return checkouts.cache.get(("plan", root, config), lambda: _compile(job, root, config))


def _compile(job: Job, root: Path, config: Path) -> Plan:
    with work_in(move_path(job.workspace.folder, job.workspace.root, root)):
        plan = compile_plan(config, config_files.build_overrides(job, root))
    job.log.redact = job.log.redact.add(
        collect_secrets(job.environ, variables=_list_key_variables(plan))
    )
    return plan


def _list_key_variables(plan: Plan) -> Iterator[str]:
    """Yield the variables that hold keys for judges, under any name in the config."""
    if plan.judge:
        yield from plan.judge.key_variables
    yield from (name for grader in plan.all_graders if (name := getattr(grader, _KEY, None)))


def _find_traces(job: Job, plan: Plan, root: Path, goal: Path) -> tuple[str, ...]:
    """Return the traces of the inputs, or else of the config, in the tree at `goal`.

    They are relative to it, so that reports name them as the repository does.
    """
    found = [move_path(Path(pattern), root, goal) for pattern in plan.traces]
    if job.inputs.traces:
        start = job.workspace.root
        there = replace(
            job.workspace, root=goal, folder=move_path(job.workspace.folder, start, goal)
        )
        found = list(there.expand(job.inputs.traces, "traces").files)
    return tuple(str(move_path(path, goal, Path())) for path in found)


def _explain_no_judge(job: Job, plan: Plan, environ: Mapping[str, str]) -> str:
    """Explain a missing key: runs for forks and Dependabot get no secrets."""
    if not (job.context.fork or job.context.dependabot):
        return ""
    variable = plan.judge.key_variable if plan.judge else ""
    if not variable or environ.get(variable):
        return ""
    whose = "a fork" if job.context.fork else "Dependabot"
    return f"there is no key for the judge ({variable}), because a run for {whose} gets no secrets"
