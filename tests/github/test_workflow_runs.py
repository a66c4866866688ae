import hashlib
import io
import zipfile

import msgspec
import pytest

from agentevals.github import workflow_runs
from agentevals.github.api_calls import LockedError, PermissionMissingError
from agentevals.model.errors import InputError
from tests.stand_in.faults import Fault

SHA = "b" * 40


def ids(found):
    return [run.id for run in found]


def baselines(api, branch="main"):
    found = workflow_runs.list_runs(api, "o/r", "evals.yml", branch=branch)
    return ids(workflow_runs.filter_trusted(found, branch))


def test_the_newest_comes_first(api, stand_in):
    made = [stand_in.world.run().id for _ in range(120)]

    assert ids(workflow_runs.list_runs(api, "o/r", "evals.yml", branch="main")) == made[::-1]


def test_only_as_many_pages_as_are_looked_at(api, stand_in):
    for _ in range(120):
        stand_in.world.run()
    next(workflow_runs.list_runs(api, "o/r", "evals.yml", branch="main"))

    assert len(stand_in.requests()) == 1


def test_runs_of_one_commit(api, stand_in):
    stand_in.world.run(sha="c" * 40)
    wanted = stand_in.world.run(sha=SHA)

    found = workflow_runs.list_runs(api, "o/r", "evals.yml", branch="main", sha=SHA)
    assert ids(found) == [wanted.id]


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch", "merge_group"])
@pytest.mark.parametrize("conclusion", ["success", "failure"])
def test_runs_that_can_be_trusted(api, stand_in, event, conclusion):
    run = stand_in.world.run(event=event, conclusion=conclusion)

    assert baselines(api) == [run.id]


@pytest.mark.parametrize(
    "facts",
    [
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"event": "workflow_run"},
        {"event": "push", "head_repository": "mallory/r"},
        {"branch": "topic"},
        {"conclusion": "cancelled"},
        {"conclusion": None, "status": "in_progress"},
        {"workflow": "other.yml"},
    ],
)
def test_runs_that_cannot_be_trusted(api, stand_in, facts):
    stand_in.world.run(**facts)

    assert baselines(api) == []


def test_a_fork_that_is_gone_is_not_trusted():
    run = workflow_runs.Run(id=1, event="push", head_branch="main", conclusion="success")

    assert ids(workflow_runs.filter_trusted([run], "main")) == []


def test_a_token_that_may_not_read_runs(api, stand_in):
    stand_in.permissions["actions"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        baselines(api)

    assert caught.value.permission == "actions: read"


def zipped(name="report.json", content=b"{}"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def run(stand_in):
    return stand_in.world.run()


def found(api, run):
    return workflow_runs.list_artifacts(api, "o/r", run.id)


def test_all_that_a_run_left_the_newest_first(api, stand_in, run):
    made = [stand_in.world.artifact(run, f"leg {number}", b"").id for number in range(120)]
    stand_in.world.artifact(stand_in.world.run(), "of another run", b"")

    assert [artifact.id for artifact in found(api, run)] == made[::-1]


def test_where_it_comes_from(api, stand_in, run):
    stand_in.world.artifact(run, "agentevals", b"")
    origin = found(api, run)[0].workflow_run

    assert (origin.id, origin.head_branch, origin.head_sha) == (run.id, "main", "b" * 40)
    assert origin.repository_id == origin.head_repository_id


def test_what_is_in_it(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped(content=b'{"a": 1}'))
    unpacked = workflow_runs.fetch_artifact(api, "o/r", found(api, run)[0], tmp_path / "new")

    assert unpacked.files == ("report.json",)
    assert (tmp_path / "new/report.json").read_bytes() == b'{"a": 1}'


def test_the_storage_does_not_see_the_token(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped())
    workflow_runs.fetch_artifact(api, "o/r", found(api, run)[0], tmp_path / "new")

    assert [stored.answer.status for stored in stand_in.stored] == [200]
    assert "authorization" not in stand_in.stored[0].request.headers


def test_a_storage_that_is_down_for_a_moment(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped())
    stand_in.faults.append(Fault("GET", "^/signed/", 503))

    assert workflow_runs.fetch_artifact(api, "o/r", found(api, run)[0], tmp_path / "new").files


@pytest.mark.parametrize("known", [True, False], ids=["listed as expired", "expired meanwhile"])
def test_an_artifact_that_has_expired(api, stand_in, run, tmp_path, known):
    stand_in.world.artifact(run, "agentevals", zipped(), expired=True)
    artifact = msgspec.structs.replace(found(api, run)[0], expired=known)

    with pytest.raises(LockedError, match="has expired; let the workflow run on the base branch"):
        workflow_runs.fetch_artifact(api, "o/r", artifact, tmp_path / "new")


def test_an_artifact_that_is_too_large_is_not_fetched(api, tmp_path, stand_in):
    artifact = workflow_runs.Artifact(id=5, size_in_bytes=workflow_runs.LARGEST + 1)

    with pytest.raises(InputError, match="of which at most"):
        workflow_runs.fetch_artifact(api, "o/r", artifact, tmp_path / "new")

    assert stand_in.requests() == []


@pytest.mark.parametrize("right", [True, False])
def test_the_digest_is_compared(api, stand_in, run, tmp_path, right):
    data = zipped()
    stand_in.world.artifact(run, "agentevals", data)
    digest = f"sha256:{hashlib.sha256(data if right else b'other').hexdigest()}"
    artifact = msgspec.structs.replace(found(api, run)[0], digest=digest)

    if right:
        assert workflow_runs.fetch_artifact(api, "o/r", artifact, tmp_path / "new").files
    else:
        with pytest.raises(InputError, match="differs from its digest at GitHub"):
            workflow_runs.fetch_artifact(api, "o/r", artifact, tmp_path / "new")


def test_a_hostile_archive(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped("../evil"))

    with pytest.raises(InputError, match="leads out of its folder"):
        workflow_runs.fetch_artifact(api, "o/r", found(api, run)[0], tmp_path / "new")

    assert not (tmp_path / "evil").exists()
