"""Decides whether a pull request changes anything that its evaluation reads, or judges by."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path

from agentevals.action import checkout_commits, job_configs
from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.configs.plan import Plan
from agentevals.files.named_files import exists
from agentevals.files.project_paths import join_pattern, split_pattern, unescape
from agentevals.github import pull_requests
from agentevals.github.event_context import EventContext
from agentevals.graders.grader import Grader
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.run import trace_arguments
from agentevals.traces.loaders import Files

_ASKED = frozenset({"pull_request", "pull_request_target"})
_MOST_LINKS = 40  # as many as Linux follows
_WORKFLOWS = ".github/workflows/*"


def is_relevant(job: Job, checkouts: Checkouts, configs: Sequence[Path]) -> bool:
    """Return False only if surely nothing relevant was changed or recorded anew."""
    if job.context.event not in _ASKED:
        return True
    names = list_changed(job, checkouts)
    plans = _compile_all(job, checkouts, configs)
    if names is None or plans is None:
        return True
    patterns = list(_list_patterns(job, checkouts, plans))
    agents = [plan.agent for plan in plans.values() if plan.agent]
    root = checkouts.config_root
    if any(matches(name, patterns) or is_gone(job, name) for name in names):
        return True
    if any(agent.matches(root / name) for agent in agents for name in names):
        return True
    return not job.context.privileged and _is_recorded_anew(job, checkouts, plans)


def knows_agent(job: Job, checkouts: Checkouts, configs: Sequence[Path]) -> bool:
    """Return whether every config lists the files of its agent."""
    plans = _compile_all(job, checkouts, configs)
    return plans is not None and all(plan.agent for plan in plans.values())


def list_changed(job: Job, checkouts: Checkouts) -> list[str] | None:
    """Return the files that the pull request changes, or None if not all are known."""
    return checkouts.cache.get("changed", lambda: _find_changed(job))


def is_gone(job: Job, name: str) -> bool:
    """Return whether a changed file was removed: nothing here says what it was for."""
    return not (job.workspace.root / name).exists()


def _find_changed(job: Job) -> list[str] | None:
    context = job.context
    if context.base_sha and context.head_sha:
        base = checkout_commits.find_merge_base(
            job.workspace.root, context.base_sha, context.head_sha
        )
        local = (
            checkout_commits.list_changed(job.workspace.root, base, context.head_sha)
            if base
            else None
        )
        if local is not None:
            return local
    return _ask_changed(job, context)


def _ask_changed(job: Job, context: EventContext) -> list[str] | None:
    if job.api is None or context.number is None:
        return None
    try:
        files = pull_requests.list_files(
            job.api,
            context.repository,
            pull_requests.get(job.api, context.repository, context.number),
        )
    except AgentEvalsError as error:
        job.log.warning(f"cannot tell what was changed, so everything is evaluated: {error}")
        return None
    return list(files.paths) if files.complete else None


_Plans = dict[Path, Plan]


def _compile_all(job: Job, checkouts: Checkouts, configs: Iterable[Path]) -> _Plans | None:
    """Compile each config. Return None if one of them cannot be read."""
    try:
        return {
            config: job_configs.compile_once(job, checkouts, checkouts.config_root, config)
            for config in configs
        }
    except AgentEvalsError:  # the evaluation says what is wrong
        return None


def _is_recorded_anew(job: Job, checkouts: Checkouts, plans: _Plans) -> bool:
    """Return whether an earlier step wrote traces, configs or eval sets that are in no commit.

    Where the files of the agent are listed, they say whether new traces can tell anything new.
    """
    files = {path for config, plan in plans.items() for path in (config, *plan.sources)}
    traces: set[str] = set()
    for plan in (plan for plan in plans.values() if not plan.agent):
        files |= set(_find_traces(job, checkouts, plan))
        for pattern in list_trace_patterns(job, plan):
            traces |= {*list_names(pattern, checkouts.config_root)}
    return checkouts.worktree.differs(files, lambda name: matches(name, traces))


def list_trace_patterns(job: Job, plan: Plan) -> Iterable[str]:
    """Return the patterns of the inputs, or else those of the config."""
    start = job.workspace.folder
    return [join_pattern(start, text.lstrip("!")) for text in job.inputs.traces] or plan.traces


def _find_traces(job: Job, checkouts: Checkouts, plan: Plan) -> Iterator[Path]:
    """Yield the existing trace files."""
    if not job.inputs.traces:
        found, _ = trace_arguments.expand(plan.traces, root=checkouts.config_root)
        yield from (path for path in Files(found) if exists(path))
    for text in job.inputs.traces:
        with suppress(ConfigError):  # what is not there was not recorded, which is no change
            yield from job.workspace.expand([text.lstrip("!")], "traces").files


def _list_patterns(job: Job, checkouts: Checkouts, plans: _Plans) -> Iterator[str]:
    """Yield patterns of the relevant files."""
    inputs, start = job.inputs, job.workspace
    given = [*inputs.config, *inputs.traces, *inputs.paths, *filter(None, [inputs.eval_set])]
    for text in given:
        yield from list_names(join_pattern(start.folder, text.lstrip("!")), start.root)
    for config, plan in plans.items():
        for path in (config, *_list_dependencies(plan)):
            yield from list_names(path, checkouts.config_root)
    yield _WORKFLOWS


def _list_dependencies(plan: Plan) -> Iterator[Path | str]:
    """Yield the files of a config, and all files beside an evaluator, which may import them."""
    yield from plan.traces
    yield from plan.sources
    for grader in plan.all_graders:
        yield from list_reach(grader)


def list_reach(grader: Grader) -> Iterator[Path | str]:
    """Yield files that decide how an evaluator judges, as its digest knows or the evaluator says.

    A folder that is no setting counts if it has content; a file that is no setting, alone.
    """
    yield from getattr(grader, "files", ())  # what it is granted to read
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


def list_names(named: Path | str, root: Path) -> Iterator[str]:
    """Yield the pattern of a path or a pattern in the repository, and of each link on its way.

    A link may be changed to lead elsewhere. There are none outside of the root.
    """
    pattern = escape(str(named)) if isinstance(named, Path) else named
    start, rest = split_pattern(os.path.normpath(pattern))
    place = start.absolute()
    if not place.is_relative_to(root):
        place = Path(os.path.realpath(start))
    for _ in range(_MOST_LINKS):
        place = Path(os.path.normpath(place))
        if not place.is_relative_to(root):
            return
        yield Path(escape(place.relative_to(root).as_posix()), *rest).as_posix()
        lineage = (*reversed(place.parents), place)
        link = next((p for p in lineage if p.is_relative_to(root) and _is_link(p)), None)
        if link is None:
            return
        place = link.parent / link.readlink() / place.relative_to(link)


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches. `*` and `**` both match folders: too much is better.

    What lies in a link to a folder, or in another repository, matches by that.
    """
    return any(
        literal in {".", name}
        or name.startswith(f"{literal}/")
        or literal.startswith(f"{name}/")
        or fnmatchcase(name, pattern.replace("**/", "*"))
        for pattern, literal in ((one, unescape(one)) for one in patterns)
    )
