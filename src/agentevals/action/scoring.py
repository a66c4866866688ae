"""Running one config: of the checkout, or, where the pull request must not decide, of its base."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from agentevals.action import config_files
from agentevals.action.checkouts import Checkouts, move_path, work_in
from agentevals.action.job import Job
from agentevals.action.redaction import redacted
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Plan
from agentevals.github.runner.secrets import collect_secrets
from agentevals.model.results import Evaluation
from agentevals.model.shards import WHOLE
from agentevals.run import pipeline
from agentevals.run.settings import Settings

OFFLINE = "no judge is asked again about the base"
_KEY = "credential_ref"  # where an evaluator says which variable holds the key of its own judge


def chosen(job: Job, checkouts: Checkouts) -> tuple[Path, ...]:
    """The configs of the tree that decides."""
    there = replace(
        job.workspace,
        root=checkouts.config_root,
        folder=move_path(job.workspace.folder, job.workspace.root, checkouts.config_root),
    )
    return config_files.find_configs(replace(job, workspace=there))


def judged(job: Job, checkouts: Checkouts, config: Path) -> Evaluation:
    """What a config says about the traces of the pull request."""
    plan = plan_of(job, checkouts, checkouts.config_root, config)
    settings = Settings(
        traces=_traces(job, plan, checkouts.config_root, checkouts.trace_root),
        jobs=job.inputs.jobs,
        isolation=job.inputs.isolation,
        shard=job.inputs.shard or WHOLE,
        unjudged=_why_unjudged(job, plan, job.environ),
        root=checkouts.trace_root,
    )
    with work_in(checkouts.trace_root):
        return redacted(pipeline.run(plan, settings), job.log.redact)


def judged_offline(job: Job, checkouts: Checkouts, config: Path, root: Path) -> Evaluation:
    """What the tree of another commit says about its own traces, and no model is asked."""
    plan = plan_of(job, checkouts, root, config)
    settings = Settings(
        traces=_traces(job, plan, root, root),
        jobs=job.inputs.jobs,
        isolation=job.inputs.isolation,
        shard=job.inputs.shard or WHOLE,
        unjudged=OFFLINE,
        root=root,
    )
    with work_in(root):
        return redacted(pipeline.run(plan, settings), job.log.redact)


def plan_of(job: Job, checkouts: Checkouts, root: Path, config: Path) -> Plan:
    """Return what a config of the tree at `root` asks for. Each is compiled once."""
    return checkouts.cache.get(("plan", root, config), lambda: _compile(job, root, config))


def _compile(job: Job, root: Path, config: Path) -> Plan:
    with work_in(move_path(job.workspace.folder, job.workspace.root, root)):
        plan = compile_plan(config, config_files.build_overrides(job, root))
    job.log.redact = job.log.redact.add(collect_secrets(job.environ, variables=_keys(plan)))
    return plan


def _keys(plan: Plan) -> Iterator[str]:
    """The variables that hold keys for judges, by whatever name the config calls them."""
    if plan.judge:
        yield from plan.judge.key_variables
    yield from (name for grader in plan.all_graders if (name := getattr(grader, _KEY, None)))


def _traces(job: Job, plan: Plan, root: Path, goal: Path) -> tuple[str, ...]:
    """Those of the inputs, else those of the config, in the tree that they are taken from.

    They are relative to it, so that the report names them as the repository does.
    """
    found = [move_path(Path(pattern), root, goal) for pattern in plan.traces]
    if job.inputs.traces:
        start = job.workspace.root
        there = replace(
            job.workspace, root=goal, folder=move_path(job.workspace.folder, start, goal)
        )
        found = list(there.expand(job.inputs.traces, "traces").files)
    return tuple(str(move_path(path, goal, Path())) for path in found)


def _why_unjudged(job: Job, plan: Plan, environ: Mapping[str, str]) -> str:
    """Runs for forks and Dependabot get no secrets: that is nobody's mistake."""
    if not (job.context.fork or job.context.dependabot):
        return ""
    variable = plan.judge.key_variable if plan.judge else ""
    if not variable or environ.get(variable):
        return ""
    whose = "a fork" if job.context.fork else "Dependabot"
    return f"there is no key for the judge ({variable}), because a run for {whose} gets no secrets"
