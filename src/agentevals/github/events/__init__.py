"""Events that start a run. To add one: write a module with a function, then list it here.

The function reads GitHub's payload and sends no request. It returns the fields of the context that
the payload has, with a `Want` for each fact that only the API knows, or raises a PayloadError.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, TypedDict, TypeVar

import msgspec
from msgspec import Meta

from agentevals.model.noun import Noun
from agentevals.model.plugins import Table

OTHER = "other"
DEPENDABOT = "dependabot[bot]"
BRANCHES = "refs/heads/"

# \Z and not $, which would allow a line end behind it
Sha = Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")]
Number = Annotated[int, Meta(ge=1)]

Shape = TypeVar("Shape")


class PayloadError(Exception):
    """A payload without what every payload of its event has."""


class Want(StrEnum):
    """A fact that only the API knows, because no payload holds it.

    `PULL` is the pull request of a known number; `PULL_OF_COMMIT` the one that has the
    evaluated head; `PULL_OF_BRANCH` the same, looked for by head owner and branch, too;
    `MERGE_BASE` where head and base part.
    """

    PULL = "pull"
    PULL_OF_COMMIT = "pull-of-commit"
    PULL_OF_BRANCH = "pull-of-branch"
    MERGE_BASE = "merge-base"


class SourceRun(Noun, frozen=True):
    """The run that a `workflow_run` is about: where the report to publish comes from."""

    run_id: int
    number: int
    attempt: int
    event: str
    conclusion: str
    workflow: str
    path: str
    head_sha: str
    head_branch: str
    head_repository: str | None
    head_repository_id: int | None
    actor: str


class TriggerComment(Noun, frozen=True):
    """A comment on a pull request. The text is untrusted.

    `commit` is the beginning of the one that it names, if it names one.
    """

    comment_id: int
    author: str
    author_association: str
    first_line: str
    created_at: str
    commit: str = ""


class Environment(Noun, frozen=True):
    """Facts from the runner's variables, for events whose payload lacks them."""

    sha: str | None = None
    ref: str = ""
    ref_protected: bool = False
    number: int | None = None

    @property
    def branch(self) -> str | None:
        """The branch that the run is on; None on a tag or a pull request."""
        return self.ref.removeprefix(BRANCHES) if self.ref.startswith(BRANCHES) else None


class Part(TypedDict, total=False):
    """The fields of a context that depend on the event; `context` says what they mean."""

    head_sha: str | None
    base_sha: str | None
    base_ref: str | None
    head_ref: str | None
    number: int | None
    author: str
    head_repository: str | None
    fork: bool
    dependabot: bool
    draft: bool
    closed: bool
    conflict: bool
    privileged: bool
    is_base_run: bool
    source: SourceRun
    comment: TriggerComment
    refusal: str
    wants: tuple[Want, ...]


class Repository(msgspec.Struct, frozen=True):
    """A repository, as far as payloads agree on it."""

    id: int
    full_name: str
    default_branch: str | None = None


class Account(msgspec.Struct, frozen=True):
    """A person or an app, as far as payloads agree on it."""

    login: str


def convert(payload: dict[str, Any], kind: type[Shape]) -> Shape:
    """Return the payload with types, or raise a PayloadError with the place of the mistake."""
    try:
        return msgspec.convert(payload, kind)
    except msgspec.ValidationError as error:
        raise PayloadError(_describe(str(error))) from None


def _describe(said: str) -> str:
    """`Expected `int`, got `str` - at `$.number`` in the order in which people read."""
    what, _, where = said.partition(" - at ")
    place = where.strip("`").removeprefix("$").removeprefix(".") or "its top level"
    return f"at {place}: {what[:1].lower()}{what[1:].replace('`', chr(39))}"


def strip_prefix(ref: str) -> str:
    """Return `main` for `refs/heads/main`."""
    return ref.removeprefix(BRANCHES)


def is_base(branch: str | None, default: str | None, environment: Environment) -> bool:
    """Return whether runs on a branch are baselines of pull requests: those on the default
    branch and on protected branches, which others are merged into."""
    return branch is not None and (branch == default or environment.ref_protected)


Event = Callable[[dict[str, Any], Environment], Part]

_HOME = "agentevals.github.events"

EVENTS: Table[Event] = Table(
    "event",
    {
        "pull_request": f"{_HOME}.pull_request:read",
        "pull_request_target": f"{_HOME}.pull_request:read_target",
        "workflow_run": f"{_HOME}.workflow_run:read",
        "merge_group": f"{_HOME}.merge_group:read",
        "push": f"{_HOME}.push:read",
        "workflow_dispatch": f"{_HOME}.commit:read_dispatch",
        "schedule": f"{_HOME}.commit:read_schedule",
        "issue_comment": f"{_HOME}.issue_comment:read",
        OTHER: f"{_HOME}.commit:read_other",
    },
)
