"""The report of the newest trusted run on the base branch, from its artifact."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

from agentevals.action.checkouts import Cache, Checkouts
from agentevals.action.job import Job
from agentevals.compare import baselines, branch_trends
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.compare.branch_trends import Trend
from agentevals.github import workflow_runs
from agentevals.github.api import Api
from agentevals.github.workflow_runs import Artifact, Run
from agentevals.model.errors import AgentEvalsError, InputError
from agentevals.model.outcome import Origin
from agentevals.model.review import Review, Scene
from agentevals.report import untrusted_report
from agentevals.report.outputs.review import FILE

_LOOKED_AT = 10  # runs; older ones are no base any more
_AT_LEAST = 2  # runs of a trend that can lack one between them
_MISSED = 2  # runs of those that a trend lacks


def find(job: Job, checkouts: Checkouts, config: Path) -> Baseline | NoBaseline:
    """Look first for a run of the merge base, then for the newest run.

    An artifact that has expired or cannot be read is skipped.
    """
    context = job.context
    workflow = _find_workflow(job)
    if job.api is None or not context.base_ref or not workflow:
        return NoBaseline(reason="there is no token, or no base branch, to look for runs with")
    reason = f"the workflow has not yet run on {context.base_ref}"
    for run in _find_runs(job.api, job, workflow, checkouts.cache):
        try:
            known = _read_baseline(job, run, checkouts.name_config(config), checkouts.cache)
        except AgentEvalsError as error:
            known = NoBaseline(reason=str(error))
        if isinstance(known, Baseline):
            return known
        reason = known.reason
    return NoBaseline(reason=reason)


def find_missed(job: Job, checkouts: Checkouts, config: Path, trend: Trend) -> Iterator[Trend]:
    """Yield the trends of runs that a trend lacks, because they ran beside one that it has."""
    name, cache = checkouts.name_config(config), checkouts.cache
    with suppress(AgentEvalsError):
        for run in islice(_find_missed_runs(job, cache, trend), _MISSED):
            with suppress(AgentEvalsError):
                found = _read_baseline(job, run, name, cache)
                if isinstance(found, Baseline):
                    yield found.trend


def _find_missed_runs(job: Job, cache: Cache, trend: Trend) -> Iterator[Run]:
    """Yield the runs between the first and the last of a trend that are not in it."""
    known = {point.commit for point in trend.points}
    times = list(filter(None, (branch_trends.read_time(point.made_at) for point in trend.points)))
    workflow = _find_workflow(job)
    if len(times) < _AT_LEAST or job.api is None or not workflow:
        return
    for run in cache.get(("runs", ""), partial(_list_newest, job.api, job, workflow, "")):
        when = branch_trends.read_time(run.created_at)
        if run.head_sha not in known and when is not None and min(times) < when < max(times):
            yield run


def _find_workflow(job: Job) -> str:
    """Return the name of the file of this workflow."""
    return job.context.workflow_ref.partition("@")[0].rpartition("/")[2]


def _read_baseline(job: Job, run: Run, name: str, cache: Cache) -> Baseline | NoBaseline:
    review = cache.get(("report", run.id), lambda: _fetch_report(job.github, job, run))
    if review is None:
        said = f"no run on {job.context.base_ref} has an artifact '{job.report_name}'"
        return NoBaseline(reason=said)
    origin = Origin(
        source="artifact",
        commit=run.head_sha,
        run_url=run.html_url,
        run_number=run.run_number,
        made_at=run.created_at,
    )
    return baselines.find_outcome(review, name, job.matrix_job, origin)


def _fetch_report(api: Api, job: Job, run: Run) -> Review | None:
    for artifact in _list_reports(api, job, run)[:1]:
        folder = job.scratch / f"artifact-{artifact.id}"
        workflow_runs.fetch_artifact(api, job.context.repository, artifact, folder)
        review = untrusted_report.read(folder / FILE, limits=untrusted_report.OWN)
        if _is_made_by(run, review.scene):
            return review
        msg = f"the report that run #{run.run_number} has kept was made by another run"
        raise InputError(msg)
    return None


def _is_made_by(run: Run, scene: Scene) -> bool:
    """Return whether a report tells about the run: a folder may hold one that was committed."""
    return (scene.run_id, scene.head_sha) == (run.id, run.head_sha) and not scene.secondhand


def _list_reports(api: Api, job: Job, run: Run) -> list[Artifact]:
    """Return the reports of this workflow and matrix job, the last attempt first."""
    found = workflow_runs.list_artifacts(api, job.context.repository, run.id)
    again = f"{job.report_name}-attempt-"
    return [a for a in found if a.name == job.report_name or a.name.startswith(again)]


def _find_runs(api: Api, job: Job, workflow: str, cache: Cache) -> Iterator[Run]:
    seen = {job.context.run_id or 0}
    for sha in dict.fromkeys((job.context.base_sha or "", "")):
        found = cache.get(("runs", sha), partial(_list_newest, api, job, workflow, sha))
        for run in found:
            if run.id not in seen:
                seen.add(run.id)
                yield run


def _list_newest(api: Api, job: Job, workflow: str, sha: str) -> list[Run]:
    context, branch = job.context, job.context.base_ref or ""
    found = workflow_runs.list_runs(api, context.repository, workflow, branch=branch, sha=sha)
    return list(islice(workflow_runs.filter_trusted(found, branch), _LOOKED_AT))
