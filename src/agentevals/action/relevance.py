"""Decides whether a pull request changes anything that its evaluation reads, or judges by."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import has_magic
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Protocol

from agentevals.action import commits, scoring
from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.configs.plan import Plan, flatten
from agentevals.files.reading import exists
from agentevals.github import pulls
from agentevals.github.context import EventContext
from agentevals.graders.grader import Grader
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.run import trace_files
from agentevals.traces.loaders import Files

_ASKED = frozenset({"pull_request", "pull_request_target"})
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
    if any(_matches(name, patterns) or _is_gone(job, name) for name in names):
        return True
    return not job.context.privileged and _is_recorded_anew(job, checkouts, plans)


def list_changed(job: Job, checkouts: Checkouts) -> list[str] | None:
    """Return the files that the pull request changes, or None if not all are known."""
    return checkouts.cache.get("changed", lambda: _find_changed(job))


def touches_rules(job: Job, checkouts: Checkouts, plan: Plan) -> bool:
    """Return whether the pull request changes a file that a plan was made of, or may have."""
    names = list_changed(job, checkouts)
    root = checkouts.config_root
    files = [_make_relative(path, root) for path in plan.sources]
    files += [_make_relative(p, root) for grader in plan.all_graders for p in _list_reach(grader)]
    return names is None or any(_matches(n, files) or _is_gone(job, n) for n in names)


class Side(Protocol):
    """A plan, and the tree that it was read from."""

    @property
    def plan(self) -> Plan: ...
    @property
    def root(self) -> Path: ...


def find_touched_files(job: Job, checkouts: Checkouts, sides: Sequence[Side]) -> dict[str, str]:
    """Return the changed files that an evaluator may read beside its own, as text, by its name.

    Traces and files that a plan was made of are not among them: they are compared by themselves.
    """
    names = list_changed(job, checkouts)
    found: dict[str, dict[str, None]] = {}
    for side in sides:
        own: list[str | Path] = [*side.plan.traces, *side.plan.sources]
        read = [".github", *(_make_relative(Path(path), side.root) for path in own)]
        for grader in side.plan.outer_graders:
            paths = (path for one in flatten([grader]) for path in _list_reach(one))
            reach = [_make_relative(path, side.root) for path in paths]
            for name in _list_files(side.root, reach) if names is None else names:
                if _matches(name, reach) and not _matches(name, read) and _may_be_read(name):
                    found.setdefault(grader.name, {})[name] = None
    roots = [side.root for side in sides]
    digests = {grader: _compare_files(given, roots) for grader, given in found.items()}
    return {grader: text for grader, text in digests.items() if text}


def _list_files(root: Path, reach: Iterable[str]) -> Iterator[str]:
    """Yield the files of a tree that an evaluator reaches, for want of a list of changed ones."""
    for place in filter(None, reach):
        found = root / place
        files = sorted(found.rglob("*")) if found.is_dir() else [found]
        yield from (path.relative_to(root).as_posix() for path in files if path.is_file())


def _may_be_read(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() not in {".md", ".rst"}


def _compare_files(names: Iterable[str], roots: Sequence[Path]) -> str:
    """Return the names that differ between the trees, with the digests of both sides."""
    sides = {name: [_compute_digest(root / name) for root in roots] for name in names}
    return ", ".join(f"{n} {' → '.join(pair)}" for n, pair in sides.items() if pair[0] != pair[1])


def _compute_digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest() if path.is_file() else "absent"
    except OSError:
        return "unreadable"


def _is_gone(job: Job, name: str) -> bool:
    """Return whether a changed file was removed: nothing here says what it was for."""
    return not (job.workspace.root / name).exists()


def _find_changed(job: Job) -> list[str] | None:
    context = job.context
    if context.base_sha and context.head_sha:
        base = commits.find_merge_base(job.workspace.root, context.base_sha, context.head_sha)
        local = commits.list_changed(job.workspace.root, base, context.head_sha) if base else None
        if local is not None:
            return local
    return _ask_changed(job, context)


def _ask_changed(job: Job, context: EventContext) -> list[str] | None:
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


def _compile_all(job: Job, checkouts: Checkouts, configs: Iterable[Path]) -> _Plans | None:
    """Compile each config. Return None if one of them cannot be read."""
    try:
        return {
            config: scoring.compile_once(job, checkouts, checkouts.config_root, config)
            for config in configs
        }
    except AgentEvalsError:  # the evaluation says what is wrong
        return None


def _is_recorded_anew(job: Job, checkouts: Checkouts, plans: _Plans) -> bool:
    """Return whether an earlier step wrote traces, configs or eval sets that are in no commit."""
    files = {path for config, plan in plans.items() for path in (config, *plan.sources)}
    traces: set[str] = set()
    for plan in plans.values():
        files |= set(_find_traces(job, checkouts, plan))
        traces |= {
            _make_relative(Path(pattern), checkouts.config_root)
            for pattern in _list_trace_patterns(job, plan)
        }
    return checkouts.worktree.differs(files, lambda name: _matches(name, traces - {""}))


def _list_trace_patterns(job: Job, plan: Plan) -> Iterable[str]:
    """Return the patterns of the inputs, or else those of the config."""
    start = job.workspace.folder
    return [str(start / text.lstrip("!")) for text in job.inputs.traces] or plan.traces


def _find_traces(job: Job, checkouts: Checkouts, plan: Plan) -> Iterator[Path]:
    """Yield the existing trace files."""
    if not job.inputs.traces:
        found, _ = trace_files.expand(plan.traces, root=checkouts.config_root)
        yield from (path for path in Files(found) if exists(path))
    for text in job.inputs.traces:
        with suppress(ConfigError):  # what is not there was not recorded, which is no change
            yield from job.workspace.expand([text.lstrip("!")], "traces").files


def _list_patterns(job: Job, checkouts: Checkouts, plans: _Plans) -> Iterator[str]:
    """Yield patterns of the relevant files."""
    inputs, start = job.inputs, job.workspace
    given = [*inputs.config, *inputs.traces, *inputs.paths, *filter(None, [inputs.eval_set])]
    found = [_make_relative(start.folder / text.lstrip("!"), start.root) for text in given]
    for config, plan in plans.items():
        found += [
            _make_relative(config, checkouts.config_root),
            *_list_dependencies(plan, checkouts.config_root),
        ]
    yield from filter(None, found)
    yield _WORKFLOWS


def _list_dependencies(plan: Plan, root: Path) -> Iterable[str]:
    """Yield the files of a config, and all files beside an evaluator, which may import them."""
    for pattern in plan.traces:
        yield _make_relative(Path(pattern), root)
    for path in plan.sources:
        yield _make_relative(path, root)
    for grader in plan.all_graders:
        yield from (_make_relative(path, root) for path in _list_reach(grader))


def _list_reach(grader: Grader) -> Iterator[Path]:
    """Yield files that decide how an evaluator judges, as its digest knows or the evaluator says.

    A folder that is no setting counts if it has content; a file that is no setting, alone.
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


def _make_relative(path: Path, root: Path) -> str:
    """Return a path or a glob as the repository names it; empty outside of the root."""
    parts = path.absolute().parts
    fixed = next((index for index, part in enumerate(parts) if has_magic(part)), len(parts))
    try:
        start = Path(*parts[:fixed]).resolve()
    except (OSError, RuntimeError):
        return ""
    if not start.is_relative_to(root):
        return ""
    return PurePosixPath(start.relative_to(root), *parts[fixed:]).as_posix()


def _matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches. `*` and `**` both match folders: too much is better."""
    return any(
        pattern in {".", name}
        or name.startswith(f"{pattern}/")
        or fnmatchcase(name, pattern.replace("**/", "*"))
        for pattern in patterns
    )
