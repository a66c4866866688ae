"""`publish`: say what a run found out that had no right to say it, such as that of a fork.

The report is data from a stranger. It is read strictly and rendered again; nothing of it is run,
no Markdown of it is used, and which pull request it is about is asked from GitHub.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from agentevals.action import lookups, step_outputs
from agentevals.action.job import NAME, Job
from agentevals.action.locations import relative
from agentevals.action.publisher import Publisher
from agentevals.github import artifacts
from agentevals.github.artifacts import Artifact
from agentevals.github.payload import SourceRun
from agentevals.model.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.model.review import Outcome, Review
from agentevals.report.exports import reading
from agentevals.report.exports.report import FILE
from agentevals.text.terminal import plain

_MOST = 50  # reports of one run: legs of a matrix
_MOST_BYTES = 128 * 2**20  # of all reports together; read, they take many times as much
_PREFIX = f"{NAME}-"
_ATTEMPT = re.compile(r"-attempt-[0-9]{1,6}\Z")
_LONGEST = 200  # characters of the name of a job or of a leg


def command(job: Job) -> int:
    """The exit code says whether it could be published: the verdict has failed the other run."""
    source = job.context.source
    if source is None:
        msg = "'command: publish' is for workflows on 'workflow_run'; this is another event"
        raise InputError(msg)
    job = lookups.look_up(replace(job, api=job.github))
    if reason := _hindrance(job):
        job.log.notice(f"nothing is published: {reason}")
        step_outputs.set_unevaluated(job)
        return 0
    reviews = list(_reviews(job, source))
    if not reviews:
        msg = f"that run has left no report; let it run this action, which keeps '{_PREFIX}…'"
        raise UnavailableError(msg)
    _published(job, reviews)
    return 0


def _hindrance(job: Job) -> str:
    if job.context.refusal:
        return job.context.refusal
    return "" if job.context.number else "there is no open pull request with that commit"


def _published(job: Job, reviews: Sequence[Review]) -> None:
    addresses: dict[str, str] = {}
    for review in reviews:
        with Publisher(_of_leg(job, review, len(reviews))) as publisher:
            addresses |= publisher.publish(review)
    if len(reviews) > 1:
        folder = job.workspace.path(job.inputs.report_dir, "report-dir")
        addresses["report"] = relative(folder, job.workspace.root)
    step_outputs.set_outputs(job, reviews, addresses)


def _of_leg(job: Job, review: Review, count: int) -> Job:
    """The job as if it were the one that has made the report, but that its files stay here."""
    leg, whose = review.scene.leg, f"{review.scene.job} {review.scene.leg}"
    folder = re.sub(r"[^\w-]+", "-", whose).strip("-") if count > 1 else ""
    inputs = job.inputs.model_copy(
        update={
            "upload_artifact": "never",
            "report_dir": f"{job.inputs.report_dir}/{folder}" if folder else job.inputs.report_dir,
        }
    )
    return replace(job, inputs=inputs, context=msgspec.structs.replace(job.context, matrix=leg))


def _reviews(job: Job, source: SourceRun) -> Iterator[Review]:
    """One of each report that can be read; the others are said."""
    room = _MOST_BYTES
    for artifact in _artifacts(job, source)[:_MOST]:
        folder = job.scratch / f"artifact-{artifact.id}"
        try:
            artifacts.fetch(job.github, job.context.repository, artifact, folder)
            content = _content(folder / FILE, room)
            room -= len(content)
            yield _trusted(job, source, reading.read(content))
        except AgentEvalsError as error:
            name = plain(artifact.name, _LONGEST)
            job.log.warning(f"the report {name!r} is not published: {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _content(path: Path, room: int) -> bytes:
    if not path.is_file():
        msg = f"there is no {path.name} in it"
        raise InputError(msg)
    if path.stat().st_size > room:
        msg = f"the reports of that run have more than {_MOST_BYTES:,} bytes; evaluate fewer cases"
        raise InputError(msg)
    return path.read_bytes()


def _artifacts(job: Job, source: SourceRun) -> list[Artifact]:
    """Those of the last attempt of each job."""
    found = artifacts.list_artifacts(job.github, job.context.repository, source.run_id)
    newest: dict[str, Artifact] = {}
    for artifact in found:
        if artifact.name.startswith(_PREFIX) and _is_of(artifact, source):
            newest.setdefault(_ATTEMPT.sub("", artifact.name), artifact)
    return [artifact for _, artifact in sorted(newest.items())]


def _is_of(artifact: Artifact, source: SourceRun) -> bool:
    origin = artifact.workflow_run
    return origin is None or (
        origin.id == source.run_id and origin.head_sha in {None, source.head_sha}
    )


def _trusted(job: Job, source: SourceRun, review: Review) -> Review:
    """What GitHub says about where this belongs, in place of what the report says."""
    said, context = review.scene, job.context
    if said.head_sha != source.head_sha:
        msg = f"it is about commit {plain(said.head_sha[:7]) or 'none'}, not about that of its run"
        raise InputError(msg)
    scene = msgspec.structs.replace(
        job.scene(),
        head_sha=source.head_sha,
        run_id=source.run_id,
        run_number=source.number,
        run_attempt=source.attempt,
        run_url=f"{context.server_url}/{context.repository}/actions/runs/{source.run_id}",
        workflow=source.workflow,
        job=plain(said.job, _LONGEST),
        leg=plain(said.leg, _LONGEST),
        secondhand=True,
    )
    sections = tuple(_cleaned(section) for section in review.sections)
    # which image a stranger has run is nothing that anybody here knows
    return msgspec.structs.replace(review, scene=scene, sections=sections, key=job.key, image="")


def _cleaned(section: Outcome) -> Outcome:
    """A stranger must not tell people what to type."""
    return msgspec.structs.replace(section, reproduce="")
