"""What no event says and GitHub knows: the pull request, and where it left its base."""

from collections.abc import Callable
from dataclasses import replace

import msgspec

from agentevals.action import git
from agentevals.action.job import Job
from agentevals.github import contents, pulls
from agentevals.github.api import Api
from agentevals.github.occasion import Comment, Occasion, Want
from agentevals.github.pulls import Pull
from agentevals.model.errors import UnavailableError

_NOT_OPEN = "the pull request is not open any more"


def completed(job: Job) -> Job:
    """The job with all that could be found out; what could not is said and does without."""
    try:
        return found(job)
    except UnavailableError as error:
        job.log.warning(f"{error}")
    # it may be closed, or about something else by now
    return replace(job, occasion=msgspec.structs.replace(job.occasion, number=None))


def found(job: Job) -> Job:
    """The same for whom there is no doing without."""
    at = job.occasion
    for want in at.wants:
        if want in _LOOKUPS and not at.refusal:
            at = _LOOKUPS[want](job, at)
    return replace(job, occasion=_with_merge_base(job, at))


def _pull(job: Job, at: Occasion) -> Occasion:
    """A comment or a person named it by its number."""
    if job.api is None or at.number is None:
        return at
    pull = pulls.get(job.api, at.repository, at.number)
    if at.head_sha and pull.head.sha != at.head_sha:
        newer = f"the pull request has moved on to {pull.head.sha[:7]}, so this run is outdated"
        return msgspec.structs.replace(at, refusal=newer)
    if at.comment is not None:
        at = _commented(job, at, at.comment, pull)
    return _of(at, pull)


def _commented(job: Job, at: Occasion, comment: Comment, pull: Pull) -> Occasion:
    """GitHub does not say which head somebody saw who wrote a comment; they may say it."""
    head = pull.head.sha[:7]
    if not comment.commit:
        job.log.notice(
            f"the head is {head} now, and that is evaluated; a comment that names a commit, such "
            f"as '/eval {head}', is about that one alone"
        )
    elif not pull.head.sha.startswith(comment.commit):
        moved = f"the comment is about {comment.commit[:7]}, and the head is {head} by now"
        return msgspec.structs.replace(at, refusal=moved)
    return at


def _of_commit(job: Job, at: Occasion) -> Occasion:
    """The open pull request whose head was evaluated, if there is exactly one."""
    if job.api is None or not at.head_sha:
        return at
    return _only(at, pulls.of_commit(job.api, at.repository, at.head_sha))


def _of_branch(job: Job, at: Occasion) -> Occasion:
    """From forks GitHub names none, so the branch is asked for; its head has to be ours."""
    if job.api is None or not at.head_sha:
        return at
    owner = (at.head_repository or "").partition("/")[0]
    found: list[Pull] = []
    if owner and at.head_ref:
        found = pulls.of_branch(job.api, at.repository, owner, at.head_ref)
    return _only(at, found or pulls.of_commit(job.api, at.repository, at.head_sha))


def _only(at: Occasion, found: list[Pull]) -> Occasion:
    fitting = [p for p in found if p.head.sha == at.head_sha and p.state == "open"]
    if len(fitting) == 1:
        return _of(at, fitting[0])
    if at.source and found and not fitting:
        return msgspec.structs.replace(
            at, refusal="the pull request was closed or pushed to since that run"
        )
    return at


def _of(at: Occasion, pull: Pull) -> Occasion:
    return msgspec.structs.replace(
        at,
        number=pull.number,
        head_sha=pull.head.sha,
        head_ref=pull.head.ref,
        head_repository=pull.head.repo.full_name if pull.head.repo else None,
        base_sha=pull.base.sha,
        base_ref=pull.base.ref,
        fork=pull.foreign,
        draft=bool(pull.draft),
        closed=pull.state != "open",
        refusal=_NOT_OPEN if pull.state != "open" else at.refusal,
    )


_LOOKUPS: dict[Want, Callable[[Job, Occasion], Occasion]] = {
    Want.PULL: _pull,
    Want.PULL_OF_COMMIT: _of_commit,
    Want.PULL_OF_BRANCH: _of_branch,
}


def _with_merge_base(job: Job, at: Occasion) -> Occasion:
    """The base is where the branch left it, not where the base branch has gone since.

    Its rules are not: a branch can leave its base at any commit, before a limit was set, say.
    """
    at = msgspec.structs.replace(at, rules_sha=at.base_sha)
    if Want.MERGE_BASE not in at.wants or not (at.base_sha and at.head_sha) or at.refusal:
        return at
    found = git.merge_base(job.workspace.root, at.base_sha, at.head_sha) or _asked(job.api, at)
    return msgspec.structs.replace(at, base_sha=found) if found else at


def _asked(api: Api | None, at: Occasion) -> str | None:
    if api is None:
        return None
    try:
        return contents.merge_base(api, at.repository, at.base_sha or "", at.head_sha or "")
    except UnavailableError:
        return None
