"""Runs of workflows that can be trusted as a baseline, and artifacts: untrusted content."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from agentevals.github.api import Api
from agentevals.github.api_calls import LockedError, Purpose, build_path
from agentevals.github.artifact_archives import Caps, Unpacked, unzip
from agentevals.github.pull_requests import Repository
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun

TRUSTED_EVENTS = frozenset({"push", "schedule", "workflow_dispatch", "merge_group"})
_KNOWN_ENDS = frozenset({"success", "failure"})
_MOST = 1_000  # runs that GitHub lists where it filters them
_READ = Purpose(deed="read the runs of the workflow", needs="actions: read")

LARGEST = 64 * 1024 * 1024  # bytes of one artifact, as it is sent
REPORT_CAPS = Caps(entries=2_000, total_bytes=256 * 1024 * 1024, entry_bytes=256 * 1024 * 1024)
_GONE = 410
_READ_ARTIFACTS = Purpose(deed="read the artifacts of a run", needs="actions: read")


class Run(Noun, frozen=True):
    """One run of a workflow."""

    id: int
    event: str = ""
    status: str | None = ""
    conclusion: str | None = None
    head_branch: str | None = None
    head_sha: str = ""
    path: str = ""
    run_number: int = 0
    html_url: str = ""
    created_at: str = ""
    repository: Repository = Repository()
    head_repository: Repository | None = None


def get(api: Api, repository: str, run_id: int) -> Run:
    """Return the run of that id."""
    return api.get(build_path("repos", repository, "actions", "runs", run_id), Run, to=_READ)


def list_runs(
    api: Api, repository: str, workflow: str, *, branch: str, sha: str = ""
) -> Iterator[Run]:
    """Yield the runs that ended, the newest first. `workflow` is the name of its file."""
    place = build_path("repos", repository, "actions", "workflows", workflow, "runs")
    query = {"branch": branch, "status": "completed"} | ({"head_sha": sha} if sha else {})
    return islice(api.list_pages(place, Run, to=_READ, query=query, key="workflow_runs"), _MOST)


def filter_trusted(runs: Iterable[Run], branch: str) -> Iterator[Run]:
    """Yield the runs that only somebody with write access can have started.

    A fork may have a branch of the same name, so that the branch alone proves nothing.
    """
    for run in runs:
        head = run.head_repository
        own = head is not None and head.id == run.repository.id
        if (
            own
            and run.event in TRUSTED_EVENTS
            and run.head_branch == branch
            and run.conclusion in _KNOWN_ENDS
        ):
            yield run


class ArtifactRun(Noun, frozen=True):
    """The run that an artifact is of."""

    id: int = 0
    repository_id: int = 0
    head_repository_id: int = 0
    head_branch: str | None = None
    head_sha: str | None = None


class Artifact(Noun, frozen=True):
    """An artifact of a run."""

    id: int
    name: str = ""
    size_in_bytes: int = 0
    expired: bool = False
    digest: str | None = None
    workflow_run: ArtifactRun | None = None


def list_artifacts(api: Api, repository: str, run_id: int) -> list[Artifact]:
    """Return all artifacts of a run, the newest first."""
    place = build_path("repos", repository, "actions", "runs", run_id, "artifacts")
    found = api.list_pages(place, Artifact, to=_READ_ARTIFACTS, key="artifacts")
    return sorted(found, key=lambda artifact: -artifact.id)


def fetch_artifact(
    api: Api, repository: str, artifact: Artifact, into: Path, caps: Caps = REPORT_CAPS
) -> Unpacked:
    """Unpack an artifact into an empty folder. It is data: nothing in it may be run."""
    if artifact.expired:
        raise _make_expired_error(artifact)
    if artifact.size_in_bytes > LARGEST:
        msg = f"the artifact {artifact.id} has {artifact.size_in_bytes} bytes, of which at most "
        raise InputError(msg + f"{LARGEST} are fetched; leave less in it")
    place = build_path("repos", repository, "actions", "artifacts", artifact.id, "zip")
    try:
        data = api.download(place, to=_READ_ARTIFACTS, max_bytes=LARGEST)
    except LockedError as error:
        raise (_make_expired_error(artifact) if error.status == _GONE else error) from None
    _check_digest(artifact, data)
    return unzip(data, into, caps)


def _check_digest(artifact: Artifact, data: bytes) -> None:
    kind, _, wanted = (artifact.digest or "").partition(":")
    if kind == "sha256" and hashlib.sha256(data).hexdigest() != wanted:
        msg = f"the artifact {artifact.id} differs from its digest at GitHub; we do not use it"
        raise InputError(msg)


def _make_expired_error(artifact: Artifact) -> LockedError:
    msg = f"the artifact {artifact.id} has expired; let the workflow run on the base branch again, "
    return LockedError(msg + "or keep artifacts longer", _GONE)
