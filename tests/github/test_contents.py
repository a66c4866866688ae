import io
import tarfile

import pytest

from agentevals.github import contents
from agentevals.github.refusals import PermissionMissingError
from agentevals.model.errors import InputError, UnavailableError

BASE, HEAD, FORK_POINT = "b" * 40, "a" * 40, "c" * 40


@pytest.mark.parametrize("name", ["../../user", "/etc/passwd", "a/./b", ""])
def test_a_name_that_would_lead_elsewhere(api, stand_in, tmp_path, name):
    with pytest.raises(InputError):
        contents.download_tree(api, "o/r", name, tmp_path / "base")

    assert stand_in.requests() == []


def test_a_token_that_may_not_read_contents(api, stand_in, tmp_path):
    stand_in.permissions["contents"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        contents.download_tree(api, "o/r", BASE, tmp_path / "base")

    assert caught.value.permission == "contents: read"


@pytest.mark.parametrize("head", [HEAD, "mallory:feat/a b"])
def test_where_branches_parted(api, stand_in, head):
    stand_in.world.repository().merge_bases[f"{BASE}...{head}"] = FORK_POINT

    assert contents.find_merge_base(api, "o/r", BASE, head) == FORK_POINT


def test_branches_that_have_nothing_in_common(api):
    assert contents.find_merge_base(api, "o/r", BASE, HEAD) is None


def test_all_files_of_a_commit(api, stand_in, tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("o-r-bbbb/evals/config.yaml")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"a:1"))
    stand_in.world.repository().tarballs[BASE] = packed.getvalue()
    found = contents.download_tree(api, "o/r", BASE, tmp_path / "base")

    assert found.files == ("evals/config.yaml",)
    assert (tmp_path / "base/evals/config.yaml").read_bytes() == b"a:1"
    assert "authorization" not in stand_in.stored[0].request.headers


def test_a_tarball_that_is_larger_than_it_may_be(api, stand_in, tmp_path):
    stand_in.world.repository().tarballs[BASE] = b"x" * 1001

    with pytest.raises(UnavailableError, match="more than 1000 bytes"):
        contents.download_tree(api, "o/r", BASE, tmp_path / "base", max_bytes=1000)
