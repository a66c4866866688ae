"""The report folder: an artifact where that is possible, and always left in the workspace."""

from collections.abc import Mapping
from pathlib import Path

from agentevals.action.job import Job
from agentevals.action.locations import relative
from agentevals.github import uploads
from agentevals.github.runner.inputs import PLACE
from agentevals.github.runner.ownership import give_to_owner
from agentevals.model.errors import AgentEvalsError, InputError
from agentevals.model.review import Review
from agentevals.report import exports


class ReportFiles:
    """Files for programs, for people, and for later runs."""

    obstacle = ""
    wanted = True

    def __init__(self, job: Job) -> None:
        self._job = job

    def begin(self, review: Review) -> None:  # noqa: ARG002 -- a surface is told
        """A folder that may not be written is known before anything is paid."""
        self._folder()

    def publish(self, review: Review) -> Mapping[str, str]:
        job, folder = self._job, self._folder()
        written = exports.write(folder, review, within=job.workspace.root)
        for problem in written.problems:
            job.log.warning(f"files: {problem}")
        if not written.paths:
            return {}
        for note in give_to_owner(written.paths, job.workspace.root):
            job.log.notice(f"files: {note}")
        self._keep({path.name: path for path in written.paths})
        return {"report": relative(folder, job.workspace.root)}

    def close(self, review: Review) -> None:
        """There are no files before a run has ended."""

    def _folder(self) -> Path:
        """In the workspace, where later steps find it."""
        given, workspace = self._job.inputs.report_dir, self._job.workspace
        folder = workspace.path(given, "report-dir")
        if not folder.is_relative_to(workspace.root):
            msg = f"{PLACE}: 'report-dir': '{given}' is not in the workspace; name a folder in it"
            raise InputError(msg)
        return folder

    def _keep(self, files: Mapping[str, Path]) -> None:
        """Best effort: the service is the runner's own, and nobody promises it to us."""
        job = self._job
        if job.inputs.upload_artifact != "auto":
            return
        service = uploads.find_service(job.environ, job.clock)
        if service is None:
            return
        if job.inputs.dry_run:
            job.log.log(f"dry run: {len(files)} files would be kept as artifact '{job.artifact}'")
            return
        try:
            uploads.upload(service, job.artifact, files)
        except AgentEvalsError as error:
            job.log.notice(f"files: not kept as an artifact: {error}; the folder is still there")
