"""The report folder: an artifact where that is possible, and always left in the workspace."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from agentevals.action.checkouts import make_relative
from agentevals.action.job import Job
from agentevals.github import artifact_uploads
from agentevals.github.runner import step_outputs
from agentevals.github.runner.file_ownership import give_to_owner
from agentevals.github.runner.inputs import PLACE, Inputs
from agentevals.model.errors import AgentEvalsError, InputError
from agentevals.model.review import Review
from agentevals.report import report_folder
from agentevals.text.terminal import plain

_NAMED = 5  # files in a sentence


class ReportFiles:
    """Files for programs, for people, and for later runs."""

    obstacle = ""
    wanted = True

    def __init__(self, job: Job) -> None:
        self._job = job
        self._written = False

    def begin(self, review: Review) -> None:  # noqa: ARG002 -- the seam's signature
        """Check the folder before a judge is paid."""
        find_folder(self._job)

    def publish(self, review: Review) -> Mapping[str, str]:
        folder, paths = self._write(review)
        if not paths:
            return {}
        kept = upload_files(
            self._job, {path.relative_to(folder).as_posix(): path for path in paths}
        )
        return {"report": make_relative(folder, self._job.workspace.root), **kept}

    def close(self, review: Review) -> None:
        """Leave the files in the workspace, for a later step. An upload would take too long."""
        if self._written:
            return
        folder, paths = self._write(review)
        if paths:
            where = make_relative(folder, self._job.workspace.root)
            step_outputs.set_outputs(self._job.environ, {"report": where})

    def _write(self, review: Review) -> tuple[Path, list[Path]]:
        job, folder = self._job, find_folder(self._job)
        root = job.workspace.root
        written = report_folder.write(folder, review, within=root, beside=job.kept)
        for problem in written.problems:
            job.log.warning(f"files: {problem}")
        if written.paths:
            self._written = True
            for note in give_to_owner(written.paths, root):
                job.log.notice(f"files: {note}")
            self._clear(folder, written.paths)
        return folder, written.paths

    def _clear(self, folder: Path, ours: Sequence[Path]) -> None:
        """Remove what a pull request may have committed into the folder, where that is ours."""
        kept = {parent for path in ours for parent in path.parents if folder in parent.parents}
        there = (path for place in (folder, *kept) for path in place.iterdir())
        others = sorted({*there} - {*ours} - kept)
        if self._job.context.source or not others:
            return
        shown = plain(", ".join(path.name for path in others[:_NAMED]))
        if self._job.inputs.report_dir == Inputs.model_fields["report_dir"].default:
            for path in others:
                _remove(path)
            self._job.log.notice(f"files: removed from the report folder, not of this run: {shown}")
            return
        self._job.log.warning(
            f"files: not of this run, and still in the report folder: {shown}. Name an empty "
            "folder in 'report-dir' before you keep it as an artifact"
        )


def find_folder(job: Job) -> Path:
    """Return the report folder, which must be in the workspace for later steps."""
    given, workspace = job.inputs.report_dir, job.workspace
    folder = workspace.resolve(given, "report-dir")
    if not folder.is_relative_to(workspace.root):
        msg = f"{PLACE}: 'report-dir': '{given}' is not in the workspace; name a folder in it"
        raise InputError(msg)
    return folder


def upload_files(job: Job, files: Mapping[str, Path]) -> Mapping[str, str]:
    """Upload the files if possible: the service is no public interface of the runner."""
    if job.inputs.upload_artifact != "auto":
        return {}
    service = artifact_uploads.find_service(job.environ, job.clock)
    if service is None:
        return {}
    if job.inputs.dry_run:
        job.log.log(f"dry run: {len(files)} files would be kept as artifact '{job.artifact}'")
        return {}
    try:
        number = artifact_uploads.upload(service, job.artifact, files)
    except AgentEvalsError as error:
        job.log.notice(f"files: not kept as an artifact: {error}; the folder is still there")
        return {}
    context = job.context
    run = f"{context.server_url}/{context.repository}/actions/runs/{context.run_id}"
    return {"artifact-url": f"{run}/artifacts/{number}"}


def _remove(path: Path) -> None:
    """Remove a file, a link itself, or a folder; what cannot be removed stays."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
