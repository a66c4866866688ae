"""Another workflow ended: where a report that a fork's run had no right to publish is published."""

from typing import Any

import msgspec

from agentevals.github.events import (
    DEPENDABOT,
    Account,
    Environment,
    Number,
    Part,
    Repository,
    Sha,
    SourceRun,
    Want,
    convert,
    is_base,
)

_ABOUT_PULL_REQUESTS = frozenset({"pull_request", "pull_request_target"})


class _Linked(msgspec.Struct, frozen=True):
    id: int


class _Side(msgspec.Struct, frozen=True):
    ref: str
    sha: Sha
    repo: _Linked


class _PullRequest(msgspec.Struct, frozen=True):
    number: Number
    head: _Side
    base: _Side


class _Run(msgspec.Struct, frozen=True):
    id: int
    event: str
    head_sha: Sha
    head_branch: str | None = None
    head_repository: Repository | None = None
    conclusion: str | None = None
    run_number: int = 0
    run_attempt: int = 1
    name: str | None = None
    path: str = ""
    actor: Account | None = None
    pull_requests: list[_PullRequest] = []


class _Payload(msgspec.Struct, frozen=True):
    workflow_run: _Run
    repository: Repository
    action: str = ""


def read(payload: dict[str, Any], environment: Environment) -> Part:  # noqa: ARG001 -- a seam has one signature
    """Read the run's own head. For a fork GitHub lists no pull request, and not always all."""
    found = convert(payload, _Payload)
    run, here = found.workflow_run, found.repository
    other = run.head_repository
    part = Part(
        privileged=True,
        source=_read_source(run),
        head_sha=run.head_sha,
        head_ref=run.head_branch,
        head_repository=other.full_name if other else None,
        fork=other is None or other.id != here.id,
        dependabot=run.actor is not None and run.actor.login == DEPENDABOT,
        refusal="" if found.action == "completed" else _UNFINISHED,
    )
    return part | _read_pull(run, here)


_UNFINISHED = "the other workflow has not ended; let `workflow_run` have `types: [completed]`"


def _read_source(run: _Run) -> SourceRun:
    return SourceRun(
        run_id=run.id,
        number=run.run_number,
        attempt=run.run_attempt,
        event=run.event,
        conclusion=run.conclusion or "",
        workflow=run.name or "",
        path=run.path,
        head_sha=run.head_sha,
        head_branch=run.head_branch or "",
        head_repository=run.head_repository.full_name if run.head_repository else None,
        head_repository_id=run.head_repository.id if run.head_repository else None,
        actor=run.actor.login if run.actor else "",
    )


def _read_pull(run: _Run, here: Repository) -> Part:
    """Find the one pull request whose head the run evaluated, else say what to ask the API."""
    ours = [
        pull
        for pull in run.pull_requests
        if pull.base.repo.id == here.id and pull.head.sha == run.head_sha
    ]
    if run.event not in _ABOUT_PULL_REQUESTS:
        return _read_branch(run, here)
    if len(ours) != 1:
        return Part(wants=(Want.PULL_OF_BRANCH, Want.MERGE_BASE))
    base = ours[0].base
    return Part(
        number=ours[0].number,
        base_ref=base.ref,
        base_sha=base.sha,
        wants=(Want.PULL, Want.MERGE_BASE),  # it may be closed or pushed to by now
    )


def _read_branch(run: _Run, here: Repository) -> Part:
    on_base = is_base(run.head_branch, here.default_branch, Environment())
    if on_base or run.event != "push":
        return Part()
    return Part(wants=(Want.PULL_OF_COMMIT, Want.MERGE_BASE))
