"""Facts that no event has and the API knows: the pull request and its merge base."""

from collections.abc import Callable
from dataclasses import replace

import msgspec

from agentevals.action import checkout_commits
from agentevals.action.job import Job
from agentevals.github import approvals, pull_requests
from agentevals.github.api import Api
from agentevals.github.event_context import EventContext, TriggerComment, Want
from agentevals.github.pull_requests import Pull
from agentevals.model.errors import UnavailableError
from agentevals.text.terminal import plain

_LONGEST_NAME = 60  # characters of a login
_NOT_OPEN = "the pull request is not open any more"


def look_up_or_warn(job: Job) -> Job:
    """Complete the context of a job. A failed lookup is a warning."""
    try:
        return look_up(job)
    except UnavailableError as error:
        job.log.warning(f"{error}")
    # it may be closed, or about something else by now
    return replace(job, context=msgspec.structs.replace(job.context, number=None))


def look_up(job: Job) -> Job:
    """Complete the context of a job, or raise an UnavailableError."""
    context = job.context
    for want in context.wants:
        if want in _LOOKUPS and not context.refusal:
            context = _LOOKUPS[want](job, context)
    return replace(job, context=_add_merge_base(job, context))


def _find_pull(job: Job, context: EventContext) -> EventContext:
    """Look up a pull request that a comment or an input names by number."""
    if job.api is None or context.number is None:
        return context
    author = context.comment.author if context.comment else ""
    if context.comment and not approvals.may_write(job.api, context.repository, author):
        who = plain(author, _LONGEST_NAME) or "the author, who is gone,"
        stranger = f"{who} may not push to this repository, so the comment is not obeyed"
        return msgspec.structs.replace(context, refusal=stranger)
    pull = pull_requests.get(job.api, context.repository, context.number)
    if context.head_sha and pull.head.sha != context.head_sha:
        newer = f"the pull request has moved on to {pull.head.sha[:7]}, so this run is outdated"
        return msgspec.structs.replace(context, refusal=newer)
    if context.comment is not None:
        context = _check_comment(job, context, context.comment, pull)
    return _add_pull(context, pull)


def _check_comment(
    job: Job, context: EventContext, comment: TriggerComment, pull: Pull
) -> EventContext:
    """Check the commit that a comment names, because GitHub does not say which head it is about."""
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


def _find_by_commit(job: Job, context: EventContext) -> EventContext:
    """Look up the open pull request whose head was evaluated, if there is exactly one."""
    if job.api is None or not context.head_sha:
        return context
    return _take_only(
        context, pull_requests.list_by_commit(job.api, context.repository, context.head_sha)
    )


def _find_by_branch(job: Job, context: EventContext) -> EventContext:
    """Look up the pull request of a fork by its branch. Its head must be the evaluated one."""
    if job.api is None or not context.head_sha:
        return context
    owner = (context.head_repository or "").partition("/")[0]
    found: list[Pull] = []
    if owner and context.head_ref:
        found = pull_requests.list_by_branch(job.api, context.repository, owner, context.head_ref)
    return _take_only(
        context,
        found or pull_requests.list_by_commit(job.api, context.repository, context.head_sha),
    )


def _take_only(context: EventContext, found: list[Pull]) -> EventContext:
    fitting = [p for p in found if p.head.sha == context.head_sha and p.state == "open"]
    if len(fitting) == 1:
        return _add_pull(context, fitting[0])
    if context.source and found and not fitting:
        return msgspec.structs.replace(
            context, refusal="the pull request was closed or pushed to since that run"
        )
    return context


def _add_pull(context: EventContext, pull: Pull) -> EventContext:
    return msgspec.structs.replace(
        context,
        number=pull.number,
        author=pull.user.login if pull.user else "",
        head_sha=pull.head.sha,
        head_ref=pull.head.ref,
        head_repository=pull.head.repo.full_name if pull.head.repo else None,
        base_sha=pull.base.sha,
        base_ref=pull.base.ref,
        fork=pull.is_from_fork,
        draft=bool(pull.draft),
        closed=pull.state != "open",
        refusal=_NOT_OPEN if pull.state != "open" else context.refusal,
    )


_LOOKUPS: dict[Want, Callable[[Job, EventContext], EventContext]] = {
    Want.PULL: _find_pull,
    Want.PULL_OF_COMMIT: _find_by_commit,
    Want.PULL_OF_BRANCH: _find_by_branch,
}


def _add_merge_base(job: Job, context: EventContext) -> EventContext:
    """Replace the base by the merge base: the base branch may have gone on since.

    `rules_sha` stays: a branch could start at a commit before a limit was set.
    """
    context = msgspec.structs.replace(context, rules_sha=context.base_sha)
    if (
        Want.MERGE_BASE not in context.wants
        or not (context.base_sha and context.head_sha)
        or context.refusal
    ):
        return context
    found = checkout_commits.find_merge_base(job.workspace.root, context.base_sha, context.head_sha)
    if found != context.base_sha:  # a step before may have written another history
        found = _ask_merge_base(job.api, context) or found
    return msgspec.structs.replace(context, base_sha=found) if found else context


def _ask_merge_base(api: Api | None, context: EventContext) -> str | None:
    if api is None:
        return None
    try:
        return pull_requests.find_merge_base(
            api, context.repository, context.base_sha or "", context.head_sha or ""
        )
    except UnavailableError:
        return None
