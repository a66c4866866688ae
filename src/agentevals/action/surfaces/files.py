"""The report folder: an artifact where that is possible, and always left in the workspace."""

from pathlib import Path

from agentevals import exports
from agentevals.action.job import Job
from agentevals.action.sites import relative
from agentevals.errors import AgentEvalsError
from agentevals.github import uploads
from agentevals.review import Review
from agentevals.runner.ownership import give_to_owner


class ReportFiles:
    """Files for programs, for people, and for later runs."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def missing(self) -> str | None:
        return None

    def begin(self, review: Review) -> None:
        """There is nothing to write yet."""

    def publish(self, review: Review) -> dict[str, str]:
        job = self._job
        folder = job.workspace.path(job.inputs.report_dir, "report-dir")
        written = exports.write(folder, review, within=job.workspace.root)
        for problem in written.problems:
            job.log.warning(f"files: {problem}")
        for note in give_to_owner([folder], job.workspace.root):
            job.log.notice(f"files: {note}")
        self._keep({path.name: path for path in written.paths})
        return {"report": relative(folder, job.workspace.root) or str(folder)}

    def _keep(self, files: dict[str, Path]) -> None:
        """Best effort: the service is the runner's own, and nobody promises it to us."""
        job = self._job
        if job.inputs.upload_artifact != "auto" or not files:
            return
        service = uploads.service(job.environ, job.clock)
        if service is None:
            return
        if job.inputs.dry_run:
            job.log.log(f"dry run: {len(files)} files would be kept as artifact '{job.artifact}'")
            return
        try:
            uploads.upload(service, job.artifact, files)
        except AgentEvalsError as error:
            job.log.notice(f"files: not kept as an artifact: {error}; the folder is still there")
