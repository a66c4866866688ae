"""`publish`: say what a run found out that had no right to say it, such as that of a fork.

The report is data from a stranger. It is read strictly and rendered again; nothing of it is run,
no Markdown of it is used, and which pull request it is about is asked from GitHub.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from agentevals.action import ladder, lookups
from agentevals.action.job import Job
from agentevals.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.exports import reading
from agentevals.exports.report import FILE
from agentevals.github import artifacts
from agentevals.github.artifacts import Artifact
from agentevals.review import Review, Section

_MOST = 20  # reports of one run
_PREFIX = "agentevals-"


def command(job: Job) -> int:
    """The exit code says whether it could be published: the verdict has failed the other run."""
    if job.occasion.source is None:
        msg = "'command: publish' is for workflows on 'workflow_run'; this is another event"
        raise InputError(msg)
    job = lookups.completed(job)
    if job.occasion.refusal:
        job.log.notice(f"nothing is published: {job.occasion.refusal}")
        return 0
    if job.occasion.number is None:
        job.log.notice("nothing is published: there is no open pull request with that commit")
        return 0
    reviews = list(_reviews(job))
    if not reviews:
        msg = f"that run has left no report; let it run this action, which keeps '{_PREFIX}…'"
        raise UnavailableError(msg)
    for review in reviews:
        ladder.Ladder(job).publish(review)
    return 0


def _reviews(job: Job) -> Iterator[Review]:
    """One of each report that can be read; the others are said."""
    for artifact in _artifacts(job)[:_MOST]:
        folder = job.scratch / f"artifact-{artifact.id}"
        try:
            yield _trusted(job, _read(job, artifact, folder))
        except AgentEvalsError as error:
            job.log.warning(f"the report {artifact.name!r} is not published: {error}")


def _artifacts(job: Job) -> list[Artifact]:
    at, source = job.occasion, job.occasion.source
    if job.api is None or source is None:
        msg = "there is no token to fetch the report with; give 'github-token'"
        raise InputError(msg)
    found = artifacts.of_run(job.api, at.repository, source.run_id)
    newest = {artifact.name: artifact for artifact in reversed(found)}
    return [
        artifact
        for name, artifact in sorted(newest.items())
        if name.startswith(_PREFIX) and _is_of(artifact, source.run_id, source.head_sha)
    ]


def _is_of(artifact: Artifact, run_id: int, sha: str) -> bool:
    origin = artifact.workflow_run
    return origin is None or (origin.id == run_id and origin.head_sha in {None, sha})


def _read(job: Job, artifact: Artifact, folder: Path) -> Review:
    if job.api is None:
        raise ValueError
    artifacts.fetch(job.api, job.occasion.repository, artifact, folder)
    return reading.read(folder / FILE)


def _trusted(job: Job, review: Review) -> Review:
    """What GitHub says about where this belongs, in place of what the report says."""
    source, said = job.occasion.source, review.scene
    if source is None or said.head_sha not in {source.head_sha, job.occasion.head_sha}:
        msg = f"it is about commit {said.head_sha[:7] or 'none'}, and not about that of its run"
        raise InputError(msg)
    scene = msgspec.structs.replace(
        job.scene(),
        head_sha=job.occasion.head_sha or source.head_sha,
        run_id=source.run_id,
        run_number=said.run_number,
        run_attempt=source.attempt,
        run_url=f"{job.occasion.server_url}/{job.occasion.repository}/actions/runs/{source.run_id}",
        workflow=source.workflow,
        made_at=said.made_at,
    )
    sections = tuple(_cleaned(section) for section in review.sections)
    return msgspec.structs.replace(review, scene=scene, sections=sections, key=job.key)


def _cleaned(section: Section) -> Section:
    """A stranger must not tell people what to type."""
    return msgspec.structs.replace(section, reproduce="")
