import hashlib
import io
import zipfile

import msgspec
import pytest

from agentevals.github import artifacts
from agentevals.github.refusals import LockedError
from agentevals.model.errors import InputError
from tests.stand_in.faults import Fault


def zipped(name="report.json", content=b"{}"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture
def run(stand_in):
    return stand_in.world.run()


def found(api, run):
    return artifacts.list_artifacts(api, "o/r", run.id)


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
    unpacked = artifacts.fetch(api, "o/r", found(api, run)[0], tmp_path / "new")

    assert unpacked.files == ("report.json",)
    assert (tmp_path / "new/report.json").read_bytes() == b'{"a": 1}'


def test_the_storage_does_not_see_the_token(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped())
    artifacts.fetch(api, "o/r", found(api, run)[0], tmp_path / "new")

    assert [stored.answer.status for stored in stand_in.stored] == [200]
    assert "authorization" not in stand_in.stored[0].request.headers


def test_a_storage_that_is_down_for_a_moment(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped())
    stand_in.faults.append(Fault("GET", "^/signed/", 503))

    assert artifacts.fetch(api, "o/r", found(api, run)[0], tmp_path / "new").files


@pytest.mark.parametrize("known", [True, False], ids=["listed as expired", "expired meanwhile"])
def test_an_artifact_that_has_expired(api, stand_in, run, tmp_path, known):
    stand_in.world.artifact(run, "agentevals", zipped(), expired=True)
    artifact = msgspec.structs.replace(found(api, run)[0], expired=known)

    with pytest.raises(LockedError, match="has expired; let the workflow run on the base branch"):
        artifacts.fetch(api, "o/r", artifact, tmp_path / "new")


def test_an_artifact_that_is_too_large_is_not_fetched(api, tmp_path, stand_in):
    artifact = artifacts.Artifact(id=5, size_in_bytes=artifacts.LARGEST + 1)

    with pytest.raises(InputError, match="of which at most"):
        artifacts.fetch(api, "o/r", artifact, tmp_path / "new")

    assert stand_in.requests() == []


@pytest.mark.parametrize("right", [True, False])
def test_the_digest_is_compared(api, stand_in, run, tmp_path, right):
    data = zipped()
    stand_in.world.artifact(run, "agentevals", data)
    digest = f"sha256:{hashlib.sha256(data if right else b'other').hexdigest()}"
    artifact = msgspec.structs.replace(found(api, run)[0], digest=digest)

    if right:
        assert artifacts.fetch(api, "o/r", artifact, tmp_path / "new").files
    else:
        with pytest.raises(InputError, match="not what GitHub says it is"):
            artifacts.fetch(api, "o/r", artifact, tmp_path / "new")


def test_a_hostile_archive(api, stand_in, run, tmp_path):
    stand_in.world.artifact(run, "agentevals", zipped("../evil"))

    with pytest.raises(InputError, match="leads out of its folder"):
        artifacts.fetch(api, "o/r", found(api, run)[0], tmp_path / "new")

    assert not (tmp_path / "evil").exists()
