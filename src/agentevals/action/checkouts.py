"""The checkouts of one run: where configs and traces come from, and the trees of other commits."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from agentevals.action import checkout_commits
from agentevals.action.job import Job
from agentevals.github import pull_requests
from agentevals.model.errors import AgentEvalsError, UnavailableError
from agentevals.model.results import Finding, Severity

_NAMED = 5  # links that a note names

Found = TypeVar("Found")


class Cache:
    """Answers by question, so that all configs of a run ask once. Errors are kept as well."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def get(self, asked: Hashable, find: Callable[[], Found]) -> Found:
        """Return the kept answer, or find it now. Raise the kept error again."""
        if asked not in self._known:
            try:
                self._known[asked] = find()
            except AgentEvalsError as error:
                self._known[asked] = error
        known = self._known[asked]
        if isinstance(known, AgentEvalsError):
            raise known
        return cast("Found", known)


class Trees:
    """The files of commits, each unpacked once. They come from git, or else from GitHub."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._known: dict[str, Path] = {}
        self._links: dict[str, tuple[str, ...]] = {}

    def unpack(self, commit: str) -> Path:
        """Return the root of the tree of a commit, or raise an UnavailableError."""
        if commit not in self._known:
            self._known[commit] = self._unpack(commit)
        return self._known[commit]

    def rename(self, path: str) -> str:
        """Return a path of a tree as it is shown."""
        return self._job.log.redact.rename(path)

    def find(self, commit: str) -> Path | None:
        """Return the tree of a commit if it is unpacked already. Nothing is fetched."""
        return self._known.get(commit)

    def list_links(self, commit: str) -> tuple[str, ...]:
        """Return the symbolic links of a commit. A tree of a privileged run omits them."""
        self.unpack(commit)
        return self._links[commit]

    def _unpack(self, commit: str) -> Path:
        job, folder = self._job, self._job.scratch / f"tree-{commit[:12]}"
        found = checkout_commits.unpack(job.workspace.root, commit, folder)
        if found is None and job.api is None:
            msg = f"the files of commit {commit[:7]} are not here; check out with 'fetch-depth: 0'"
            raise UnavailableError(msg)
        if found and not job.context.privileged:  # there, nobody may follow those of the head
            checkout_commits.add_links(job.workspace.root, commit, folder)
        found = found or pull_requests.download_tree(
            job.github, job.context.repository, commit, folder
        )
        self._links[commit] = found.skipped
        return folder


def make_relative(path: Path, root: Path) -> str:
    """Return the path in the repository; empty for a path outside of it."""
    absolute = Path(path).resolve()
    return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else ""


def find_rules_commit(job: Job) -> str:
    """Return the commit whose rules the head's are compared with; empty if there is none.

    The runner checks out the head merged with the base branch: then that branch's own changes are
    no changes of the pull request. Another merge may be of a step that ran the agent.
    """
    root, merge = job.workspace.root, job.context.sha or ""
    parents = (
        checkout_commits.list_parents(root, merge)
        if checkout_commits.find_head(root) == merge
        else []
    )
    if len(parents) == 2 and parents[1] == job.context.head_sha:  # noqa: PLR2004 -- a merge
        return parents[0]
    return job.context.base_sha or ""


@contextmanager
def work_in(folder: Path) -> Iterator[None]:
    """Change the working directory within this: paths in a config may be relative to it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def move_path(path: Path, start: Path, goal: Path) -> Path:
    """Return the path in another tree. A path outside of the first tree stays as it is."""
    return goal / path.relative_to(start) if path.is_relative_to(start) else path


@dataclass(frozen=True)
class WorkTree:
    """The checkout of a job, which earlier steps may have changed.

    `committed` has the ids of the files of the commit, `head` those of the commit that people see;
    they are None if they are unknown.
    """

    root: Path
    committed: dict[str, str] | None
    head: dict[str, str] | None
    _known: dict[Path, bool] = field(default_factory=dict)

    @classmethod
    def read(cls, job: Job) -> "WorkTree":
        """Read the commit that the runner checked out, or else the head."""
        root, context = job.workspace.root, job.context
        found = (
            checkout_commits.list_contents(root, commit)
            for commit in (context.sha, context.head_sha)
            if commit
        )
        committed = next((files for files in found if files is not None), None)
        return cls(
            root,
            committed,
            checkout_commits.list_contents(root, job.commit) if job.commit else None,
        )

    def differs(self, files: Iterable[Path], wanted: Callable[[str], bool]) -> bool:
        """Return whether one of the files differs from the commit, or a wanted one is missing.

        It is also true if the files of the commit are unknown.
        """
        if self.committed is None:
            return True
        gone = (name for name in self.committed if wanted(name) and not (self.root / name).exists())
        return any(True for _ in gone) or not all(map(self.holds, files))

    def holds(self, path: Path) -> bool:
        """Return whether the commit has this file with the same content."""
        if path not in self._known:
            self._known[path] = self._compare(path)
        return self._known[path]

    def _compare(self, path: Path) -> bool:
        committed = (self.committed or {}).get(make_relative(path, self.root))
        if committed is None or not path.is_file():  # a pipe would be waited for
            return False
        return checkout_commits.compute_file_id(path, committed) == committed

    def shows(self, path: Path) -> bool:
        """Return whether people see this file in the head, with the same content.

        Where the head is not here, what was made of it and of its base tells.
        """
        name = make_relative(path, self.root)
        known = self.committed or {}
        return self.holds(path) and (self.head is None or self.head.get(name) == known.get(name))


@dataclass(frozen=True, kw_only=True)
class Checkouts:
    """The trees of configs and of traces, which are usually the same folder."""

    config_root: Path
    trace_root: Path
    trees: Trees
    worktree: WorkTree
    cache: Cache = field(default_factory=Cache)
    notes: tuple[Finding, ...] = ()

    def name_config(self, config: Path) -> str:
        """Return the path of a config in the repository, without secrets."""
        return self.trees.rename(make_relative(config, self.config_root) or config.name)

    def is_committed(self, path: Path) -> bool:
        """Return whether the head commit has this file unchanged; true if that is unknown.

        A relative path belongs to the tree of the traces, as in reports.
        """
        tree = self.worktree
        if self.trace_root != tree.root or tree.committed is None:
            return True
        return tree.holds(tree.root / path)

    def is_at_head(self, path: Path) -> bool:
        """Return whether the head is known to have this file unchanged, so that a link finds it."""
        tree = self.worktree
        return self.trace_root != tree.root or tree.shows(tree.root / path)


def open_checkouts(job: Job) -> Checkouts:
    """Open the checkouts. In privileged events the configs of the base judge the head's traces."""
    trees, worktree, checkout = Trees(job), WorkTree.read(job), job.workspace.root
    if not job.context.privileged:
        return Checkouts(config_root=checkout, trace_root=checkout, trees=trees, worktree=worktree)
    context = job.context
    base = context.rules_sha or context.sha
    if not base or not context.head_sha:
        msg = "neither the base nor the head of the pull request is known; nothing can be judged"
        raise UnavailableError(msg)
    decided = (
        f"configs, eval sets and evaluators are those of the base ({base[:7]}), because "
        f"{context.event} runs with the rights of the base; traces are those of the head"
    )
    return Checkouts(
        config_root=trees.unpack(base),
        trace_root=trees.unpack(context.head_sha),
        trees=trees,
        worktree=worktree,
        notes=(
            _make_note("base-decides", decided),
            *_describe_links(trees.list_links(context.head_sha)),
        ),
    )


def _describe_links(names: Sequence[str]) -> Iterator[Finding]:
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        message = f"symbolic links of the head are not followed: {', '.join(names[:_NAMED])}{more}"
        yield _make_note("links", message)


def _make_note(rule: str, message: str) -> Finding:
    return Finding(severity=Severity.NOTE, rule=rule, message=message)
