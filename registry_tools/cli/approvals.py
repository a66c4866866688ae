"""Who agreed to a pull request, as GitHub knows it: its author, and who approves its head."""

import re

from agentevals.action.job import Job
from agentevals.github import approvals, pulls, reviews
from agentevals.github.api import Api
from agentevals.model.errors import InputError, UnavailableError
from registry_tools.manifests.agreement import WHO, Agreement

_ADVICE = f"{WHO}, then run this job again"
_QUEUED = re.compile(r"gh-readonly-queue/.+/pr-([0-9]{1,9})-[0-9a-f]{40,64}")


def find_agreement(job: Job) -> Agreement:
    """Return who agreed; nobody where GitHub does not answer, and the log says why."""
    number = job.context.number or _find_queued(job.context.head_ref or "")
    if job.api is None or number is None:
        job.log.notice("approvals: there is no token, or no pull request, to ask GitHub about")
        return Agreement(advice=_ADVICE)
    try:
        return _ask(job, job.api, number)
    except (UnavailableError, InputError) as error:
        job.log.warning(f"approvals: {error}")
        return Agreement(advice=_ADVICE)


def _ask(job: Job, api: Api, number: int) -> Agreement:
    repository = job.context.repository
    pull = pulls.get(api, repository, number)
    commit = job.context.head_sha if job.context.number else pull.head.sha
    people = reviews.list_approvers(api, repository, number, commit or "")
    if pull.user and pull.user.is_person:
        people.append(pull.user)
    return Agreement(
        frozenset(one.id for one in people),
        any(approvals.may_write(api, repository, one.login) for one in people),
        _ADVICE,
    )


def _find_queued(branch: str) -> int | None:
    """Return the pull request of an entry of a merge queue. Its branch is named by GitHub."""
    found = _QUEUED.fullmatch(branch)
    return int(found[1]) if found else None
