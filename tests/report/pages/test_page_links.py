import pytest

from agentevals.model.outcome import Place
from agentevals.report.pages import page_links
from tests.report.pages.reviews import HEAD, SCENE, scene

BLOB = f"https://github.example/shop/support-agent/blob/{HEAD}"


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("a/b.yaml", "a/b.yaml"),
        ("a b/(c)[d].md", "a%20b/%28c%29%5Bd%5D.md"),
        ("ü/%2e#x?y", "%C3%BC/%252e%23x%3Fy"),
        ("a|b<c>`d`", "a%7Cb%3Cc%3E%60d%60"),
    ],
)
def test_paths_are_written_as_addresses(path, url):
    assert page_links.to_file(Place(path=path), SCENE).endswith(f"]({BLOB}/{url})")


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x", "a/../b", "a//b", "./a", "a\\b", "a\nb", "\ud800", "\u202ex", ""],
)
def test_paths_that_leave_the_repository_are_no_links(path):
    assert "](" not in page_links.to_file(Place(path=path, line=1), SCENE)
    assert not page_links.is_within_repository(path)


@pytest.mark.parametrize("line", [None, 0, -3])
def test_a_line_that_no_file_has_is_left_out(line):
    assert page_links.to_place("trace", Place(path="a", line=line), SCENE) == f"[trace]({BLOB}/a)"


@pytest.mark.parametrize(
    "server",
    ["", "github.example", "ftp://a", "https://a b", "https://a/../b?x", "https://a)", "//a"],
)
def test_a_server_that_is_none_is_not_linked(server):
    assert page_links.to_run("run", SCENE.run_url, scene(server_url=server)) == ""


def test_a_server_of_ones_own_is_linked():
    there = scene(server_url="http://git.corp:8443/github", run_url="")
    url = "http://git.corp:8443/github/shop/support-agent/actions/runs/7/attempts/2"

    assert page_links.to_run("run", url, there) == f"[run]({url})"


def test_only_commits_are_shortened():
    assert (page_links.commit(HEAD), page_links.commit("main"), page_links.commit("")) == (
        "`a1b2c3d`",
        "`main`",
        "",
    )


@pytest.mark.parametrize(
    ("address", "linked"),
    [
        ("https://github.example/shop/support-agent/actions/runs/7/artifacts/9", True),
        ("https://github.example/shop/other/actions/runs/7/artifacts/9", False),
        ("https://github.example/shop/support-agent/actions/runs/7/artifacts/9)x", False),
    ],
)
def test_an_artifact_is_linked_if_it_is_of_this_repository(address, linked):
    assert bool(page_links.to_run("report.html", address, SCENE)) is linked
