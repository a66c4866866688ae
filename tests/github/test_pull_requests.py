import io
import tarfile

import pytest

from agentevals.github import pull_requests
from agentevals.github.api_calls import NotFoundError, PermissionMissingError
from agentevals.model.errors import InputError, UnavailableError
from tests.stand_in.documents import changed_file

SHA = "a" * 40


def test_a_pull_request(api, stand_in):
    stand_in.world.pull(title="Faster", draft=True)
    pull = pull_requests.get(api, "o/r", 7)

    assert (pull.number, pull.title, pull.draft, pull.state) == (7, "Faster", True, "open")
    assert (pull.head.sha, pull.base.ref) == (SHA, "main")


@pytest.mark.parametrize(
    ("repository", "foreign"), [("o/r", False), ("mallory/r", True), (None, True)]
)
def test_whether_it_comes_from_a_fork(api, stand_in, repository, foreign):
    stand_in.world.pull(head_repository=repository)

    assert pull_requests.get(api, "o/r", 7).is_from_fork is foreign


def test_one_that_is_not_there(api):
    with pytest.raises(NotFoundError, match="refuses to read the pull request"):
        pull_requests.get(api, "o/r", 8)


def test_all_changed_files(api, stand_in):
    files = [changed_file(stand_in.url, f"traces/{number}.json") for number in range(130)]
    files.append({**changed_file(stand_in.url, "new.md", "renamed"), "previous_filename": "old.md"})
    stand_in.world.pull(files=files)
    found = pull_requests.list_files(api, "o/r", pull_requests.get(api, "o/r", 7))

    assert found.complete
    assert len(found.paths) == 132
    assert found.paths[-2:] == ("new.md", "old.md")


def test_more_files_than_github_lists(api, stand_in):
    files = [changed_file(stand_in.url, f"{number}.json") for number in range(3001)]
    stand_in.world.pull(files=files)
    found = pull_requests.list_files(api, "o/r", pull_requests.get(api, "o/r", 7))

    assert (len(found.files), found.complete) == (pull_requests.MOST_FILES, False)


def test_pull_requests_of_a_commit(api, stand_in):
    for number, state in ((5, "closed"), (6, "open"), (7, "open")):
        stand_in.world.pull(number, state=state)
    stand_in.world.pull(8, head_sha="c" * 40)

    assert [pull.number for pull in pull_requests.list_by_commit(api, "o/r", SHA)] == [7, 6, 5]


def test_open_pull_requests_of_a_branch_of_a_fork(api, stand_in):
    stand_in.world.pull(5, head_repository="mallory/r", state="closed")
    stand_in.world.pull(6, head_repository="mallory/r")
    stand_in.world.pull(7, head_repository="o/r")

    assert [
        pull.number for pull in pull_requests.list_by_branch(api, "o/r", "mallory", "topic")
    ] == [6]


def test_a_filter_that_github_ignores_is_applied_here(api, stand_in):
    stand_in.world.pull()

    assert pull_requests.list_by_branch(api, "o/r", "mallory", "") == []


def test_a_branch_with_a_name_full_of_signs(api, stand_in):
    name = "feat/a&b=c#d%20?"
    stand_in.world.pull(head_ref=name)

    assert [pull.number for pull in pull_requests.list_by_branch(api, "o/r", "o", name)] == [7]


BASE, HEAD, FORK_POINT = "b" * 40, "a" * 40, "c" * 40


@pytest.mark.parametrize("name", ["../../user", "/etc/passwd", "a/./b", ""])
def test_a_name_that_would_lead_elsewhere(api, stand_in, tmp_path, name):
    with pytest.raises(InputError):
        pull_requests.download_tree(api, "o/r", name, tmp_path / "base")

    assert stand_in.requests() == []


def test_a_token_that_may_not_read_contents(api, stand_in, tmp_path):
    stand_in.permissions["contents"] = "none"

    with pytest.raises(PermissionMissingError) as caught:
        pull_requests.download_tree(api, "o/r", BASE, tmp_path / "base")

    assert caught.value.permission == "contents: read"


@pytest.mark.parametrize("head", [HEAD, "mallory:feat/a b"])
def test_where_branches_parted(api, stand_in, head):
    stand_in.world.repository().merge_bases[f"{BASE}...{head}"] = FORK_POINT

    assert pull_requests.find_merge_base(api, "o/r", BASE, head) == FORK_POINT


def test_branches_that_have_nothing_in_common(api):
    assert pull_requests.find_merge_base(api, "o/r", BASE, HEAD) is None


def test_all_files_of_a_commit(api, stand_in, tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("o-r-bbbb/evals/config.yaml")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"a:1"))
    stand_in.world.repository().tarballs[BASE] = packed.getvalue()
    found = pull_requests.download_tree(api, "o/r", BASE, tmp_path / "base")

    assert found.files == ("evals/config.yaml",)
    assert (tmp_path / "base/evals/config.yaml").read_bytes() == b"a:1"
    assert "authorization" not in stand_in.stored[0].request.headers


def test_a_tarball_that_is_larger_than_it_may_be(api, stand_in, tmp_path):
    stand_in.world.repository().tarballs[BASE] = b"x" * 1001

    with pytest.raises(UnavailableError, match="more than 1000 bytes"):
        pull_requests.download_tree(api, "o/r", BASE, tmp_path / "base", max_bytes=1000)
