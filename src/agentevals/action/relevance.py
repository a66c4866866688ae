"""Whether the evaluation reads anything that the base does not have as it is here."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path, PurePosixPath

from agentevals.action import git, scoring
from agentevals.action.job import Job
from agentevals.action.scoring import Bench
from agentevals.configs.plan import Plan
from agentevals.files.reading import exists
from agentevals.github import pulls
from agentevals.github.context import EventContext
from agentevals.graders.grader import Grader
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.run import trace_files
from agentevals.traces.reading.files import Files

_ASKED = frozenset({"pull_request", "pull_request_target"})
_WORKFLOWS = ".github/workflows/*"


def matters(job: Job, bench: Bench, configs: Sequence[Path]) -> bool:
    """False only where it is known that nothing relevant was changed, and nothing recorded anew."""
    if job.context.event not in _ASKED:
        return True
    names = changed(job)
    plans = _plans(job, bench, configs)
    if names is None or plans is None:
        return True
    patterns = list(_patterns(job, bench, plans))
    if any(_fits(name, patterns) for name in names):
        return True
    return not job.context.privileged and _is_recorded_anew(job, bench, plans)


def changed(job: Job) -> list[str] | None:
    """The files that the pull request changes; None where that is not known in full."""
    context = job.context
    if context.base_sha and context.head_sha:
        base = git.merge_base(job.workspace.root, context.base_sha, context.head_sha)
        local = git.changed(job.workspace.root, base, context.head_sha) if base else None
        if local is not None:
            return local
    return _asked(job, context)


def _asked(job: Job, context: EventContext) -> list[str] | None:
    if job.api is None or context.number is None:
        return None
    try:
        files = pulls.list_files(
            job.api, context.repository, pulls.get(job.api, context.repository, context.number)
        )
    except AgentEvalsError as error:
        job.log.warning(f"cannot tell what was changed, so everything is evaluated: {error}")
        return None
    return list(files.paths) if files.complete else None


_Plans = dict[Path, Plan]


def _plans(job: Job, bench: Bench, configs: Iterable[Path]) -> _Plans | None:
    """What each config asks for; None where not all of them can be read."""
    try:
        return {config: scoring.plan_of(job, bench, bench.root, config) for config in configs}
    except AgentEvalsError:  # the evaluation says what is wrong
        return None


def _is_recorded_anew(job: Job, bench: Bench, plans: _Plans) -> bool:
    """Whether a step before has written traces, configs or eval sets that are in no commit."""
    files = {path for config, plan in plans.items() for path in (config, *plan.sources)}
    traces: set[str] = set()
    for plan in plans.values():
        files |= set(_recorded(job, bench, plan))
        traces |= {_below(Path(pattern), bench.root) for pattern in _trace_patterns(job, plan)}
    return bench.worktree.differs(files, lambda name: _fits(name, traces - {""}))


def _trace_patterns(job: Job, plan: Plan) -> Iterable[str]:
    """Those of the inputs, else those of the config."""
    start = job.workspace.folder
    return [str(start / text.lstrip("!")) for text in job.inputs.traces] or plan.traces


def _recorded(job: Job, bench: Bench, plan: Plan) -> Iterator[Path]:
    """The trace files that are there."""
    if not job.inputs.traces:
        found, _ = trace_files.expand(plan.traces, root=bench.root)
        yield from (path for path in Files(found) if exists(path))
    for text in job.inputs.traces:
        with suppress(ConfigError):  # what is not there was not recorded, which is no change
            yield from job.workspace.expand([text.lstrip("!")], "traces").files


def _patterns(job: Job, bench: Bench, plans: _Plans) -> Iterator[str]:
    """What a change must touch."""
    inputs, start = job.inputs, job.workspace
    given = [*inputs.config, *inputs.traces, *inputs.paths, *filter(None, [inputs.eval_set])]
    found = [_below(start.folder / text.lstrip("!"), start.root) for text in given]
    for config, plan in plans.items():
        found += [_below(config, bench.root), *_dependencies(plan, bench.root)]
    yield from filter(None, found)
    yield _WORKFLOWS


def _dependencies(plan: Plan, root: Path) -> Iterable[str]:
    """What the config names, and all that lies beside an evaluator, which may import it."""
    for pattern in plan.traces:
        yield _below(Path(pattern), root)
    for path in plan.sources:
        yield _below(path, root)
    for grader in plan.all_graders:
        yield from (_below(path, root) for path in _reach(grader))


def _reach(grader: Grader) -> Iterator[Path]:
    """A folder that is no setting matters where something in it judges; a file that is none, alone.

    What says so is the digest of what judges, unless the evaluator itself knows better.
    """
    if grader.reach is not None:
        yield from grader.reach
        return
    for name, value in grader:
        if not isinstance(value, Path):
            continue
        by_itself = bool(type(grader).model_fields[name].exclude)
        if not value.is_dir():
            yield value if by_itself else value.parent
        elif not by_itself or grader.content:
            yield value


def _below(path: Path, root: Path) -> str:
    """A path or a glob as the repository knows it."""
    parts = path.absolute().parts
    fixed = next((index for index, part in enumerate(parts) if has_magic(part)), len(parts))
    try:
        start = Path(*parts[:fixed]).resolve()
    except (OSError, RuntimeError):
        return ""
    if not start.is_relative_to(root):
        return ""
    return PurePosixPath(start.relative_to(root), *parts[fixed:]).as_posix()


def _fits(name: str, patterns: Iterable[str]) -> bool:
    """`**` and `*` may both reach over folders: too much is evaluated rather than too little."""
    return any(
        pattern in {".", name}
        or name.startswith(f"{pattern}/")
        or fnmatchcase(name, pattern.replace("**/", "*"))
        for pattern in patterns
    )
