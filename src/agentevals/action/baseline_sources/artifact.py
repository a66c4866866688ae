"""The report that the newest trusted run on the base branch left behind."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from agentevals.action.job import Job
from agentevals.action.memory import Memory
from agentevals.action.scoring import Bench
from agentevals.compare import baselines
from agentevals.compare.baselines import Baseline, NoBaseline
from agentevals.github import artifacts, runs
from agentevals.github.api import Api
from agentevals.github.artifacts import Artifact
from agentevals.github.runs import Run
from agentevals.model.errors import AgentEvalsError
from agentevals.model.review import Origin, Review
from agentevals.report.exports import reading
from agentevals.report.exports.report import FILE

_LOOKED_AT = 10  # runs; older ones are no base any more


def find(job: Job, bench: Bench, config: Path) -> Baseline | NoBaseline:
    """First that of the commit where the branch left its base, then the newest.

    What has expired or cannot be read is no reason not to look at the next.
    """
    context = job.context
    workflow = context.workflow_ref.partition("@")[0].rpartition("/")[2]
    if job.api is None or not context.base_ref or not workflow:
        return NoBaseline(reason="there is no token, or no base branch, to look for runs with")
    reason = f"the workflow has not yet run on {context.base_ref}"
    for run in _candidates(job.api, job, workflow, bench.memory):
        try:
            known = _left(job, run, bench.name(config), bench.memory)
        except AgentEvalsError as error:
            known = NoBaseline(reason=str(error))
        if isinstance(known, Baseline):
            return known
        reason = known.reason
    return NoBaseline(reason=reason)


def _left(job: Job, run: Run, name: str, memory: Memory) -> Baseline | NoBaseline:
    review = memory.once(("report", run.id), lambda: _report(job.github, job, run))
    if review is None:
        said = f"no run on {job.context.base_ref} has left an artifact '{job.report_name}'"
        return NoBaseline(reason=said)
    origin = Origin(
        source="artifact",
        commit=run.head_sha,
        run_url=run.html_url,
        run_number=run.run_number,
        made_at=run.created_at,
    )
    return baselines.of_review(review, name, job.leg, origin)


def _report(api: Api, job: Job, run: Run) -> Review | None:
    for artifact in _reports(api, job, run)[:1]:
        folder = job.scratch / f"artifact-{artifact.id}"
        artifacts.fetch(api, job.context.repository, artifact, folder)
        return reading.read(folder / FILE)
    return None


def _reports(api: Api, job: Job, run: Run) -> list[Artifact]:
    """Those of this workflow and leg, the last attempt first."""
    found = artifacts.list_artifacts(api, job.context.repository, run.id)
    again = f"{job.report_name}-attempt-"
    return [a for a in found if a.name == job.report_name or a.name.startswith(again)]


def _candidates(api: Api, job: Job, workflow: str, memory: Memory) -> Iterator[Run]:
    seen = {job.context.run_id or 0}
    for sha in dict.fromkeys((job.context.base_sha or "", "")):
        found = memory.once(("runs", sha), partial(_newest, api, job, workflow, sha))
        for run in found:
            if run.id not in seen:
                seen.add(run.id)
                yield run


def _newest(api: Api, job: Job, workflow: str, sha: str) -> list[Run]:
    context, branch = job.context, job.context.base_ref or ""
    found = runs.list_runs(api, context.repository, workflow, branch=branch, sha=sha)
    return list(islice(runs.filter_trusted(found, branch), _LOOKED_AT))
