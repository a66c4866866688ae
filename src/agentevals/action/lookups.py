"""What no event says and GitHub knows: the pull request, and where it left its base."""

from collections.abc import Callable
from dataclasses import replace

import msgspec

from agentevals.action import git
from agentevals.action.job import Job
from agentevals.github import contents, pulls
from agentevals.github.api import Api
from agentevals.github.context import EventContext, TriggerComment, Want
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
    return replace(job, context=msgspec.structs.replace(job.context, number=None))


def found(job: Job) -> Job:
    """The same for whom there is no doing without."""
    context = job.context
    for want in context.wants:
        if want in _LOOKUPS and not context.refusal:
            context = _LOOKUPS[want](job, context)
    return replace(job, context=_with_merge_base(job, context))


def _pull(job: Job, context: EventContext) -> EventContext:
    """A comment or a person named it by its number."""
    if job.api is None or context.number is None:
        return context
    pull = pulls.get(job.api, context.repository, context.number)
    if context.head_sha and pull.head.sha != context.head_sha:
        newer = f"the pull request has moved on to {pull.head.sha[:7]}, so this run is outdated"
        return msgspec.structs.replace(context, refusal=newer)
    if context.comment is not None:
        context = _commented(job, context, context.comment, pull)
    return _of(context, pull)


def _commented(
    job: Job, context: EventContext, comment: TriggerComment, pull: Pull
) -> EventContext:
    """GitHub does not say which head somebody saw who wrote a comment; they may say it."""
    head = pull.head.sha[:7]
    if not comment.commit:
        job.log.notice(
            f"the head is {head} now, and that is evaluated; a comment that names a commit, such "
            f"as '/eval {head}', is about that one alone"
        )
    elif not pull.head.sha.startswith(comment.commit):
        moved = f"the comment is about {comment.commit[:7]}, and the head is {head} by now"
        return msgspec.structs.replace(context, refusal=moved)
    return context


def _of_commit(job: Job, context: EventContext) -> EventContext:
    """The open pull request whose head was evaluated, if there is exactly one."""
    if job.api is None or not context.head_sha:
        return context
    return _only(context, pulls.list_of_commit(job.api, context.repository, context.head_sha))


def _of_branch(job: Job, context: EventContext) -> EventContext:
    """From forks GitHub names none, so the branch is asked for; its head has to be ours."""
    if job.api is None or not context.head_sha:
        return context
    owner = (context.head_repository or "").partition("/")[0]
    found: list[Pull] = []
    if owner and context.head_ref:
        found = pulls.list_of_branch(job.api, context.repository, owner, context.head_ref)
    return _only(
        context, found or pulls.list_of_commit(job.api, context.repository, context.head_sha)
    )


def _only(context: EventContext, found: list[Pull]) -> EventContext:
    fitting = [p for p in found if p.head.sha == context.head_sha and p.state == "open"]
    if len(fitting) == 1:
        return _of(context, fitting[0])
    if context.source and found and not fitting:
        return msgspec.structs.replace(
            context, refusal="the pull request was closed or pushed to since that run"
        )
    return context


def _of(context: EventContext, pull: Pull) -> EventContext:
    return msgspec.structs.replace(
        context,
        number=pull.number,
        head_sha=pull.head.sha,
        head_ref=pull.head.ref,
        head_repository=pull.head.repo.full_name if pull.head.repo else None,
        base_sha=pull.base.sha,
        base_ref=pull.base.ref,
        fork=pull.foreign,
        draft=bool(pull.draft),
        closed=pull.state != "open",
        refusal=_NOT_OPEN if pull.state != "open" else context.refusal,
    )


_LOOKUPS: dict[Want, Callable[[Job, EventContext], EventContext]] = {
    Want.PULL: _pull,
    Want.PULL_OF_COMMIT: _of_commit,
    Want.PULL_OF_BRANCH: _of_branch,
}


def _with_merge_base(job: Job, context: EventContext) -> EventContext:
    """The base is where the branch left it, not where the base branch has gone since.

    Its rules are not: a branch can leave its base at any commit, before a limit was set, say.
    """
    context = msgspec.structs.replace(context, rules_sha=context.base_sha)
    if (
        Want.MERGE_BASE not in context.wants
        or not (context.base_sha and context.head_sha)
        or context.refusal
    ):
        return context
    found = git.merge_base(job.workspace.root, context.base_sha, context.head_sha) or _asked(
        job.api, context
    )
    return msgspec.structs.replace(context, base_sha=found) if found else context


def _asked(api: Api | None, context: EventContext) -> str | None:
    if api is None:
        return None
    try:
        return contents.find_merge_base(
            api, context.repository, context.base_sha or "", context.head_sha or ""
        )
    except UnavailableError:
        return None
