"""What a pull request changes of the files that its evaluators read, and that no config names."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Protocol

from agentevals.action.checkouts import Checkouts
from agentevals.action.job import Job
from agentevals.action.relevance import (
    list_changed,
    list_names,
    list_reach,
    list_trace_patterns,
    matches,
)
from agentevals.configs.eval_sets.config_search import CONFIGS
from agentevals.configs.plan import Plan, flatten
from agentevals.files.named_files import find_matches
from agentevals.files.project_paths import join_pattern
from agentevals.graders.grader import Grader

# what lies beside an evaluator for people alone; other prose may be a prompt or a list of words
_FOR_PEOPLE = ("readme", "changelog", "contributing", "code_of_conduct", "security", "license")
_OF_GITHUB = ".github/"  # of a repository that an evaluator may read as a whole


class Side(Protocol):
    """A plan, and the tree that it was read from."""

    @property
    def plan(self) -> Plan: ...
    @property
    def root(self) -> Path: ...


def touches_rules(job: Job, checkouts: Checkouts, side: Side) -> bool:
    """Return whether the pull request changes a file that a plan was made of, or may have."""
    names = list_changed(job, checkouts)
    if names is None:
        return True
    sources = _list_patterns(side.plan.sources, side.root)
    read = _Reading(job, side)
    return any(
        matches(name, sources) or any(read.covers(g, name) for g in side.plan.outer_graders)
        for name in names
    )


def touches_config(job: Job, checkouts: Checkouts, config: Path) -> bool:
    """Return whether the pull request changes where a config is looked for, be it a link."""
    names = list_changed(job, checkouts)
    start = job.workspace.folder
    given = [join_pattern(start, text.lstrip("!")) for text in job.inputs.config or CONFIGS]
    places = _list_patterns([config, *given], job.workspace.root)
    return names is None or any(matches(name, places) for name in names)


def find_touched_files(
    job: Job, checkouts: Checkouts, sides: Sequence[Side], roots: Sequence[Path]
) -> dict[str, str]:
    """Return the files that an evaluator may read and that differ, as text, by its name.

    Traces and files that a plan was made of are not among them: they are compared by themselves.
    """
    names = list_changed(job, checkouts)
    found: dict[str, dict[str, None]] = {}
    for side in sides:
        read = _Reading(job, side)
        for grader in side.plan.outer_graders:
            for name in read.list_files(grader) if names is None else names:
                if read.covers(grader, name):
                    found.setdefault(grader.name, {})[name] = None
    digests = {grader: _compare_files(given, roots) for grader, given in found.items()}
    return {grader: text for grader, text in digests.items() if text}


class _Reading:
    """The files that the evaluators of a plan may read, beside those that it was made of."""

    def __init__(self, job: Job, side: Side) -> None:
        self._root = side.root
        self._others = _list_patterns([*side.plan.traces, *side.plan.sources], side.root)
        self._others += _list_patterns(list_trace_patterns(job, side.plan), job.workspace.root)
        self._known: dict[int, list[str]] = {}

    def covers(self, grader: Grader, name: str) -> bool:
        """Return whether the evaluator, or one that it is made of, may read a file."""
        reach = self._find_reach(grader)
        if name.startswith(_OF_GITHUB):
            reach = [place for place in reach if place.startswith(_OF_GITHUB)]
        stem = PurePosixPath(name).stem.lower()
        return matches(name, reach) and not matches(name, self._others) and stem not in _FOR_PEOPLE

    def list_files(self, grader: Grader) -> Iterator[str]:
        """Yield the files of the tree in its reach, for want of a list of changed ones."""
        for place in self._find_reach(grader):
            for found in sorted(find_matches(join_pattern(self._root, place))):
                files = sorted(found.rglob("*")) if found.is_dir() else [found]
                there = (path for path in files if path.is_file())
                yield from (path.relative_to(self._root).as_posix() for path in there)

    def _find_reach(self, grader: Grader) -> list[str]:
        if id(grader) not in self._known:
            paths = (path for one in flatten([grader]) for path in list_reach(one))
            self._known[id(grader)] = _list_patterns(paths, self._root)
        return self._known[id(grader)]


def _list_patterns(paths: Iterable[str | Path], root: Path) -> list[str]:
    return [name for path in paths for name in list_names(path, root)]


def _compare_files(names: Iterable[str], roots: Sequence[Path]) -> str:
    """Return the names that differ between the trees, with the digests of both sides."""
    sides = {name: [_compute_digest(root / name) for root in roots] for name in names}
    return ", ".join(f"{n} {' → '.join(pair)}" for n, pair in sides.items() if pair[0] != pair[1])


def _compute_digest(path: Path) -> str:
    """Compute it with the line ends of Linux: a checkout may write others than a commit has."""
    try:
        content = path.read_bytes() if path.is_file() else None
    except OSError:
        return "unreadable"
    return "absent" if content is None else sha256(content.replace(b"\r\n", b"\n")).hexdigest()
