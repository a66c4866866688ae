import io
import tarfile

import pytest

from agentevals.github import contents
from agentevals.github.refusals import PermissionMissingError
from agentevals.model.errors import InputError, UnavailableError

BASE, HEAD, FORK_POINT = "b" * 40, "a" * 40, "c" * 40


def test_a_file_at_a_commit(api, stand_in):
    stand_in.world.repository().files[BASE] = {"evals/my config.yaml": b"\x00raw\xff"}

    assert contents.file(api, "o/r", "evals/my config.yaml", BASE) == b"\x00raw\xff"


def test_a_file_that_is_not_there(api):
    assert contents.file(api, "o/r", "evals/config.yaml", BASE) is None


def test_a_large_file_is_read_as_it_is(api, stand_in):
    large = b"x" * 3_000_000
    stand_in.world.repository().files[BASE] = {"trace.json": large}

    assert contents.file(api, "o/r", "trace.json", BASE) == large


def test_a_file_that_is_larger_than_it_may_be(api, stand_in):
    stand_in.world.repository().files[BASE] = {"trace.json": b"x" * 1001}

    with pytest.raises(UnavailableError, match="more than 1000 bytes"):
        contents.file(api, "o/r", "trace.json", BASE, max_bytes=1000)


@pytest.mark.parametrize("name", ["../../user", "/etc/passwd", "a/./b", ""])
def test_a_file_that_would_be_elsewhere(api, stand_in, name):
    with pytest.raises(InputError):
        contents.file(api, "o/r", name, BASE)

    assert stand_in.requests() == []


def test_a_token_that_may_not_read_contents(api, stand_in):
    stand_in.permissions["contents"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        contents.file(api, "o/r", "a", BASE)

    assert caught.value.permission == "contents: read"


@pytest.mark.parametrize("head", [HEAD, "mallory:feat/a b"])
def test_where_branches_parted(api, stand_in, head):
    stand_in.world.repository().merge_bases[f"{BASE}...{head}"] = FORK_POINT

    assert contents.merge_base(api, "o/r", BASE, head) == FORK_POINT


def test_branches_that_have_nothing_in_common(api):
    assert contents.merge_base(api, "o/r", BASE, HEAD) is None


def test_all_files_of_a_commit(api, stand_in, tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("o-r-bbbb/evals/config.yaml")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"a:1"))
    stand_in.world.repository().tarballs[BASE] = packed.getvalue()
    found = contents.tree(api, "o/r", BASE, tmp_path / "base")

    assert found.files == ("evals/config.yaml",)
    assert (tmp_path / "base/evals/config.yaml").read_bytes() == b"a:1"
    assert "authorization" not in stand_in.stored[0].request.headers


def test_a_tarball_that_is_larger_than_it_may_be(api, stand_in, tmp_path):
    stand_in.world.repository().tarballs[BASE] = b"x" * 1001

    with pytest.raises(UnavailableError, match="more than 1000 bytes"):
        contents.tree(api, "o/r", BASE, tmp_path / "base", max_bytes=1000)
