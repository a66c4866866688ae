"""Running one config: of the checkout, or, where the pull request must not decide, of its base."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentevals.action import config_files
from agentevals.action.job import Job
from agentevals.action.locations import relative
from agentevals.action.memory import Memory
from agentevals.action.redaction import redacted
from agentevals.action.trees import Trees, moved, within
from agentevals.action.worktree import WorkTree
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Plan
from agentevals.github.runner.secrets import collect_secrets
from agentevals.model.errors import UnavailableError
from agentevals.model.results import Evaluation, Finding, Severity
from agentevals.model.shards import WHOLE
from agentevals.run import pipeline
from agentevals.run.settings import Settings

OFFLINE = "no judge is asked again about the base"
_NAMED = 5  # links that a note names
_KEY = "credential_ref"  # where an evaluator says which variable holds the key of its own judge


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where configs come from (`root`), and where traces do; the same folder, as a rule."""

    root: Path
    traces: Path
    trees: Trees
    worktree: WorkTree
    memory: Memory = field(default_factory=Memory)
    notes: tuple[Finding, ...] = ()

    def name(self, config: Path) -> str:
        """A config as the repository knows it."""
        return relative(config, self.root) or config.name

    def is_committed(self, path: Path) -> bool:
        """Whether a file can be looked at in the head commit; yes where nobody knows better.

        A relative path is one of the tree of the traces, as reports name them.
        """
        tree = self.worktree
        if self.traces != tree.root or tree.committed is None:
            return True
        return tree.holds(tree.root / path)


def bench(job: Job) -> Bench:
    """In privileged events the base's config, eval set and evaluators judge the head's traces."""
    trees, worktree, checkout = Trees(job), WorkTree.of(job), job.workspace.root
    if not job.context.privileged:
        return Bench(root=checkout, traces=checkout, trees=trees, worktree=worktree)
    context = job.context
    base = context.rules_sha or context.sha
    if not base or not context.head_sha:
        msg = "neither the base nor the head of the pull request is known; nothing can be judged"
        raise UnavailableError(msg)
    decided = (
        f"configs, eval sets and evaluators are those of the base ({base[:7]}), because "
        f"{context.event} runs with the rights of the base; traces are those of the head"
    )
    return Bench(
        root=trees.at(base),
        traces=trees.at(context.head_sha),
        trees=trees,
        worktree=worktree,
        notes=(_note("base-decides", decided), *_about_links(trees.links(context.head_sha))),
    )


def _about_links(names: Sequence[str]) -> Iterator[Finding]:
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        message = f"symbolic links of the head are not followed: {', '.join(names[:_NAMED])}{more}"
        yield _note("links", message)


def _note(rule: str, message: str) -> Finding:
    return Finding(severity=Severity.NOTE, rule=rule, message=message)


def chosen(job: Job, bench: Bench) -> tuple[Path, ...]:
    """The configs of the tree that decides."""
    there = replace(
        job.workspace,
        root=bench.root,
        folder=moved(job.workspace.folder, job.workspace.root, bench.root),
    )
    return config_files.found(replace(job, workspace=there))


def judged(job: Job, bench: Bench, config: Path) -> Evaluation:
    """What a config says about the traces of the pull request."""
    plan = plan_of(job, bench, bench.root, config)
    settings = Settings(
        traces=_traces(job, plan, bench.root, bench.traces),
        jobs=job.inputs.jobs,
        isolation=job.inputs.isolation,
        shard=job.inputs.shard or WHOLE,
        unjudged=_why_unjudged(job, plan, job.environ),
        root=bench.traces,
    )
    with within(bench.traces):
        return redacted(pipeline.run(plan, settings), job.log.redact)


def judged_offline(job: Job, bench: Bench, config: Path, root: Path) -> Evaluation:
    """What the tree of another commit says about its own traces, and no model is asked."""
    plan = plan_of(job, bench, root, config)
    settings = Settings(
        traces=_traces(job, plan, root, root),
        jobs=job.inputs.jobs,
        isolation=job.inputs.isolation,
        shard=job.inputs.shard or WHOLE,
        unjudged=OFFLINE,
        root=root,
    )
    with within(root):
        return redacted(pipeline.run(plan, settings), job.log.redact)


def plan_of(job: Job, bench: Bench, root: Path, config: Path) -> Plan:
    """Return what a config of the tree at `root` asks for. Each is compiled once."""
    return bench.memory.once(("plan", root, config), lambda: _compile(job, root, config))


def _compile(job: Job, root: Path, config: Path) -> Plan:
    with within(moved(job.workspace.folder, job.workspace.root, root)):
        plan = compile_plan(config, config_files.overrides(job, root))
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
    found = [moved(Path(pattern), root, goal) for pattern in plan.traces]
    if job.inputs.traces:
        start = job.workspace.root
        there = replace(job.workspace, root=goal, folder=moved(job.workspace.folder, start, goal))
        found = list(there.expand(job.inputs.traces, "traces").files)
    return tuple(str(moved(path, goal, Path())) for path in found)


def _why_unjudged(job: Job, plan: Plan, environ: Mapping[str, str]) -> str:
    """Runs for forks and Dependabot get no secrets: that is nobody's mistake."""
    if not (job.context.fork or job.context.dependabot):
        return ""
    variable = plan.judge.key_variable if plan.judge else ""
    if not variable or environ.get(variable):
        return ""
    whose = "a fork" if job.context.fork else "Dependabot"
    return f"there is no key for the judge ({variable}), because a run for {whose} gets no secrets"
