"""Close what runs of a pull request have left running: they were killed, or it was closed."""

from collections.abc import Iterator

import msgspec

from agentevals.action.destinations.pull_request_comment import PullRequestComment
from agentevals.action.job import Job
from agentevals.compare import cancelled_settlement
from agentevals.github import check_runs, unfinished_checks, workflow_runs
from agentevals.github.api_calls import NotFoundError, PermissionMissingError
from agentevals.github.check_runs import Check, Ending, Output, Status
from agentevals.github.unfinished_checks import LeftCheck, LeftStatus
from agentevals.model.errors import AgentEvalsError, UnavailableError
from agentevals.model.results import Finding, Severity
from agentevals.sandbox.cancelling import EXIT_CODES
from agentevals.text import wording

Left = LeftCheck | LeftStatus

_KILLED = "Cannot tell whether to merge: the run ended without a result"
_CANCELLED = min(EXIT_CODES)  # as if GitHub had cancelled it
_CLOSED = "The pull request was closed while the evaluation was running"


def close_killed(job: Job) -> tuple[Finding, ...]:
    """Close what is left of runs that are over, and return a note about it."""
    left = [one for one in _find(job) if _is_over(job, one)]
    places = _close(job, left, _KILLED)
    if not places:
        return ()
    runs_ = wording.plural(len({_get_run(one) for one in left}), "earlier run")
    message = f"{runs_} ended without a result; closed what was still running: {', '.join(places)}"
    job.log.notice(message)
    return (Finding(severity=Severity.NOTE, rule="closed-leftovers", message=message),)


def close_all(job: Job) -> None:
    """Close what still runs for a pull request that is closed. A run that goes on may reopen it."""
    places = _close(job, _find(job), _CLOSED)
    try:
        review = cancelled_settlement.review_partial(job.build_scene(), (), (), _CANCELLED)
        review = msgspec.structs.replace(review, key=job.key)
        comment = PullRequestComment(job)
        if comment.wanted and not comment.obstacle and comment.close_running(review):
            places.append("the comment")
    except AgentEvalsError as error:
        job.log.notice(f"comment: {error}")
    if places:
        job.log.notice(f"closed what was still running: {', '.join(places)}")


def _find(job: Job) -> list[Left]:
    """Return what runs under the name and the key of this job, as far as the token may see it."""
    context, inputs = job.context, job.inputs
    has_check, has_status = inputs.check != "off", inputs.status == "on"
    if job.api is None or context.number is None or not (has_check or has_status):
        return []
    try:
        found = unfinished_checks.find(
            job.api,
            context.repository,
            context.number,
            job.name,
            checks=has_check,
            statuses=has_status,
        )
    except UnavailableError as error:
        if not isinstance(error, PermissionMissingError):
            job.log.notice(f"{error}; their open comments and checks are not closed")
        return []
    return [one for one in found if isinstance(one, LeftStatus) or one.mark.key == job.mark.key]


def _is_over(job: Job, left: Left) -> bool:
    """Return whether the run has ended. Where GitHub does not tell, an older one has."""
    own, run_id = job.mark, _get_run(left)
    if run_id == own.run_id:
        return isinstance(left, LeftCheck) and left.mark.attempt < own.attempt
    try:
        return workflow_runs.get(job.github, job.context.repository, run_id).status == "completed"
    except NotFoundError:
        return True
    except UnavailableError:
        return run_id < own.run_id


def _get_run(left: Left) -> int:
    return left.mark.run_id if isinstance(left, LeftCheck) else left.run_id


def _close(job: Job, found: list[Left], why: str) -> list[str]:
    """Close each, and return what was closed. A refusal affects only the one that is refused."""
    return [place for one in found for place in _close_one(job, one, why)]


def _close_one(job: Job, left: Left, why: str) -> Iterator[str]:
    context = job.context
    home = f"{context.server_url}/{context.repository}/actions/runs"
    begun, place = f"{home}/{_get_run(left)}", context.repository
    kind = "check run" if isinstance(left, LeftCheck) else "status"
    try:
        if isinstance(left, LeftCheck):
            summary = f"[The run]({begun}) had not ended this check. [A later run]({home}/"
            output = Output(title=why, summary=f"{summary}{job.mark.run_id}) has closed it.")
            ending = Ending(conclusion="cancelled", output=output)
            check_runs.conclude(job.github, place, Check(id=left.id), ending)
        else:
            status = Status(state="error", context=job.name, description=why, target_url=begun)
            check_runs.write_status(job.github, place, left.sha, status)
        yield f"the {kind} on {left.sha[:7]}"
    except UnavailableError as error:
        job.log.notice(f"the {kind} on {left.sha[:7]} is not closed: {error}")
