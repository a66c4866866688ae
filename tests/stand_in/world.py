"""What the stand-in remembers: repositories and all that is in them."""

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ACTIONS_APP = 15_368  # the id of the app that GITHUB_TOKEN belongs to
OURS = "github-actions[bot]"


@dataclass
class Comment:
    """One comment on an issue or a pull request."""

    id: int
    issue: int
    body: str
    author: str = OURS
    app: bool = True
    minimized: str = ""
    edited: str = ""  # when, if ever


@dataclass
class Pull:
    """One pull request. `head_repository` is None where the fork is gone."""

    number: int
    head_sha: str = "a" * 40
    base_sha: str = "b" * 40
    head_ref: str = "topic"
    base_ref: str = "main"
    head_repository: str | None = "o/r"
    title: str = "A change"
    author: str = "someone"
    state: str = "open"
    draft: bool = False
    files: list[dict[str, Any]] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)  # heads before a forced push
    reviews: list[tuple[str, str, str]] = field(default_factory=list)  # who, the state, the commit
    merges_itself: bool = False


@dataclass
class Run:
    """One run of a workflow."""

    id: int
    workflow: str = "evals.yml"
    event: str = "push"
    branch: str = "main"
    sha: str = "b" * 40
    head_repository: str = "o/r"
    status: str = "completed"
    conclusion: str | None = "success"
    number: int = 1
    created_at: str = "2026-03-01T12:00:00Z"
    jobs: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Artifact:
    """What a run left behind."""

    id: int
    run: int
    name: str
    content: bytes
    expired: bool = False


@dataclass
class ReleaseAsset:
    """One file of a release."""

    id: int
    name: str
    content: bytes


@dataclass
class Release:
    """One release, with its files by their ids."""

    id: int
    tag: str
    target: str = "main"
    assets: dict[int, ReleaseAsset] = field(default_factory=dict)


@dataclass
class Repository:
    """One repository. `files` is by ref, then by path; `merge_bases` by `base...head`.

    `commits` is what branches and tags point to.
    """

    name: str
    id: int = 1
    default_branch: str = "main"
    private: bool = False
    locked: set[int] = field(default_factory=set)
    issues: bool = True
    auto_merge: str = "allowed"  # or why it is not
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    commits: dict[str, str] = field(default_factory=dict)
    tarballs: dict[str, bytes] = field(default_factory=dict)
    merge_bases: dict[str, str] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    releases: dict[int, Release] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)  # by login; anybody else may read

    def comments_on(self, number: int) -> list[Comment]:
        return [c for _, c in sorted(self.comments.items()) if c.issue == number]


@dataclass
class Upload:
    """One artifact that a running job is uploading."""

    name: str
    content: bytes | None = None
    finished: dict[str, Any] | None = None


@dataclass
class World:
    """Everything, with one lock: a request is answered as if nothing else happened meanwhile."""

    viewer: str = OURS
    repositories: dict[str, Repository] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    signed: dict[str, bytes] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1001))

    def repository(self, name: str = "o/r") -> Repository:
        """The repository of that name, which is there from now on."""
        known = self.repositories
        return known.setdefault(name, Repository(name, id=100 + len(known)))

    def pull(self, number: int = 7, repository: str = "o/r", **facts: Any) -> Pull:
        known = self.repository(repository).pulls
        before = known.get(number)
        if before:
            facts["replaced"] = [*before.replaced, before.head_sha]
        pull = known[number] = Pull(number, **facts)
        return pull

    def comment(self, body: str, number: int = 7, repository: str = "o/r", **facts: Any) -> Comment:
        comment = Comment(next(self.ids), number, body, **facts)
        self.repository(repository).comments[comment.id] = comment
        return comment

    def run(self, repository: str = "o/r", **facts: Any) -> Run:
        run = Run(facts.pop("id", None) or next(self.ids), **facts)
        self.repository(repository).runs[run.id] = run
        return run

    def artifact(self, run: Run, name: str, content: bytes, **facts: Any) -> Artifact:
        place = next(r for r in self.repositories.values() if run.id in r.runs)
        artifact = Artifact(next(self.ids), run.id, name, content, **facts)
        place.artifacts[artifact.id] = artifact
        return artifact
