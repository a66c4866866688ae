"""`publish`: publish the report of a run without the right to do so, such as that of a fork.

The report is untrusted data. It is read strictly and rendered again; nothing of it is run, no
Markdown of it is used, and the API says which pull request it is about.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from agentevals.action import event_lookups, step_closing
from agentevals.action.checkouts import make_relative
from agentevals.action.job import NAME, Job
from agentevals.action.publisher import Publisher, set_outputs, set_unevaluated
from agentevals.action.rules import turned_cases
from agentevals.github import workflow_runs
from agentevals.github.events import SourceRun
from agentevals.github.workflow_runs import Artifact
from agentevals.model.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.model.outcome import Outcome
from agentevals.model.results import Verdict
from agentevals.model.review import Review
from agentevals.report import untrusted_report
from agentevals.report.outputs.review import FILE
from agentevals.text.redaction import redact_texts
from agentevals.text.terminal import plain

_MOST = 50  # reports of one run: jobs of a matrix
_MOST_BYTES = 128 * 2**20  # of all reports together; read, they take many times as much
_PREFIX = f"{NAME}-"
_ATTEMPT = re.compile(r"-attempt-[0-9]{1,6}\Z")
_LONGEST = 200  # characters of the name of a job or of a matrix job


def publish(job: Job) -> int:
    """Return an exit code for the publishing alone: the verdict has failed the other run."""
    source = job.context.source
    if source is None:
        msg = "'command: publish' is for workflows on 'workflow_run'; this is another event"
        raise InputError(msg)
    job = event_lookups.look_up(replace(job, api=job.github))
    if reason := _find_hindrance(job):
        job.log.notice(f"nothing is published: {reason}")
        set_unevaluated(job)
        return 0
    reviews = list(_read_reviews(job, source))
    if not reviews:
        msg = f"that run has no report; let it run this action, which keeps '{_PREFIX}…'"
        raise UnavailableError(msg)
    _publish_all(job, reviews)
    return 0


def _find_hindrance(job: Job) -> str:
    if job.context.refusal:
        return job.context.refusal
    return "" if job.context.number else "there is no open pull request with that commit"


def _publish_all(job: Job, reviews: Sequence[Review]) -> None:
    addresses: dict[str, str] = {}
    for review in reviews:
        with Publisher(_narrow_job(job, review, len(reviews))) as publisher:
            addresses |= publisher.publish(_ask_approvals(job, review))
    if len(reviews) > 1:
        folder = job.workspace.resolve(job.inputs.report_dir, "report-dir")
        addresses["report"] = make_relative(folder, job.workspace.root)
    set_outputs(job, reviews, addresses)
    step_closing.close(job, reviews, addresses)


def _ask_approvals(job: Job, review: Review) -> Review:
    """Return the review with the approvals that GitHub knows: those of a report are claims."""
    if not review.rules:
        return review
    claimed = review.rules
    turned = (msgspec.structs.replace(one, approved_by="") for one in claimed.turned)
    bare = msgspec.structs.replace(claimed, turned=tuple(turned), offers=())
    rules = turned_cases.add_approvals(job, bare)
    if not rules.pending:
        return msgspec.structs.replace(review, rules=rules)
    return msgspec.structs.replace(
        review, rules=rules, verdict=Verdict.FAIL, exit_code=review.exit_code or 1
    )


def _narrow_job(job: Job, review: Review, count: int) -> Job:
    """Return the job as if it had made the report. Its files stay here."""
    leg, whose = review.scene.leg, f"{review.scene.job} {review.scene.leg}"
    folder = re.sub(r"[^\w-]+", "-", whose).strip("-") if count > 1 else ""
    inputs = job.inputs.model_copy(
        update={
            "upload_artifact": "never",
            "report_dir": f"{job.inputs.report_dir}/{folder}" if folder else job.inputs.report_dir,
        }
    )
    return replace(job, inputs=inputs, context=msgspec.structs.replace(job.context, matrix=leg))


def _read_reviews(job: Job, source: SourceRun) -> Iterator[Review]:
    """Yield each report that can be read, and warn about the others."""
    room = _MOST_BYTES
    for artifact in _find_artifacts(job, source)[:_MOST]:
        folder = job.scratch / f"artifact-{artifact.id}"
        try:
            workflow_runs.fetch_artifact(job.github, job.context.repository, artifact, folder)
            content = _read_content(folder / FILE, room)
            room -= len(content)
            yield _check_origin(job, source, untrusted_report.read(content))
        except AgentEvalsError as error:
            name = plain(artifact.name, _LONGEST)
            job.log.warning(f"the report {name!r} is not published: {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _read_content(path: Path, room: int) -> bytes:
    if not path.is_file():
        msg = f"there is no {path.name} in it"
        raise InputError(msg)
    if path.stat().st_size > room:
        msg = f"the reports of that run have more than {_MOST_BYTES:,} bytes; evaluate fewer cases"
        raise InputError(msg)
    return path.read_bytes()


def _find_artifacts(job: Job, source: SourceRun) -> list[Artifact]:
    """Return the artifacts of the last attempt of each job."""
    found = workflow_runs.list_artifacts(job.github, job.context.repository, source.run_id)
    newest: dict[str, Artifact] = {}
    for artifact in found:
        if artifact.name.startswith(_PREFIX) and _belongs_to(artifact, source):
            newest.setdefault(_ATTEMPT.sub("", artifact.name), artifact)
    return [artifact for _, artifact in sorted(newest.items())]


def _belongs_to(artifact: Artifact, source: SourceRun) -> bool:
    origin = artifact.workflow_run
    return origin is None or (
        origin.id == source.run_id and origin.head_sha in {None, source.head_sha}
    )


def _check_origin(job: Job, source: SourceRun, review: Review) -> Review:
    """Return the review with GitHub's facts about its run in place of its own."""
    said, context = review.scene, job.context
    if said.head_sha != source.head_sha:
        msg = f"it is about commit {plain(said.head_sha[:7]) or 'none'}, not about that of its run"
        raise InputError(msg)
    if said.run_id != source.run_id or said.secondhand:
        msg = f"it was made by run {said.run_id}, not by {source.run_id}, which has kept it"
        raise InputError(msg)
    scene = msgspec.structs.replace(
        job.build_scene(),
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
    kept = tuple(_clean(outcome) for outcome in review.sections)
    sections, notes = (redact_texts(found, job.log.redact) for found in (kept, review.notes))
    # the image in an untrusted report proves nothing
    return msgspec.structs.replace(
        review, scene=scene, sections=sections, notes=notes, key=job.key, image=""
    )


def _clean(outcome: Outcome) -> Outcome:
    """Remove the command: an untrusted report must not tell people what to type."""
    return msgspec.structs.replace(outcome, reproduce="")
