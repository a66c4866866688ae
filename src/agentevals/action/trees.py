"""The files of the repository at one commit, beside those that are checked out."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentevals.action import git
from agentevals.action.job import Job
from agentevals.github import contents
from agentevals.model.errors import UnavailableError


class Trees:
    """Each commit is unpacked once. Files come from git where it has them, else from GitHub."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._known: dict[str, Path] = {}
        self._links: dict[str, tuple[str, ...]] = {}

    def at(self, commit: str) -> Path:
        """The root of the tree of a commit, or an UnavailableError that says why there is none."""
        if commit not in self._known:
            self._known[commit] = self._unpacked(commit)
        return self._known[commit]

    def known(self, commit: str) -> Path | None:
        """The tree of a commit if somebody needed it before; nothing is fetched for this."""
        return self._known.get(commit)

    def links(self, commit: str) -> tuple[str, ...]:
        """The symbolic links of the commit, which are not in its tree: they may lead anywhere."""
        self.at(commit)
        return self._links[commit]

    def _unpacked(self, commit: str) -> Path:
        job, folder = self._job, self._job.scratch / f"tree-{commit[:12]}"
        found = git.unpack(job.workspace.root, commit, folder)
        if found is None and job.api is None:
            msg = f"the files of commit {commit[:7]} are not here; check out with 'fetch-depth: 0'"
            raise UnavailableError(msg)
        found = found or contents.download_tree(job.github, job.context.repository, commit, folder)
        self._links[commit] = found.left_out
        return folder


@contextmanager
def within(folder: Path) -> Iterator[None]:
    """Work in a folder, because paths that a config names may be relative to the working one."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def moved(path: Path, start: Path, goal: Path) -> Path:
    """The same file of another tree; what belongs to no tree stays where it is."""
    return goal / path.relative_to(start) if path.is_relative_to(start) else path
