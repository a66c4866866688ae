import os

import pytest

from agentevals.github.runner.file_ownership import give_to_owner

RUNNER = 1001

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "checkout"
    root.mkdir()
    os.chown(root, RUNNER, RUNNER)
    return root


def report(workspace):
    folder = workspace / "out" / "report"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "report.json").write_text("{}")
    return folder


def owner(path):
    found = path.lstat()
    return found.st_uid, found.st_gid


def test_a_folder_is_given_away_with_all_that_is_in_it(workspace):
    folder = report(workspace)
    said = give_to_owner([folder], workspace)

    assert said == []
    assert {owner(path) for path in (folder, *folder.rglob("*"))} == {(RUNNER, RUNNER)}


def test_new_folders_on_the_way_are_given_away_as_well(workspace):
    give_to_owner([report(workspace)], workspace)

    assert owner(workspace / "out") == (RUNNER, RUNNER)


def test_a_folder_on_the_way_that_was_there_before_stays(workspace):
    folder = report(workspace)
    os.chown(workspace / "out", 1234, 1234)
    give_to_owner([folder], workspace)

    assert owner(workspace / "out") == (1234, 1234)


def test_a_single_file_is_given_away(workspace):
    path = workspace / "badge.json"
    path.touch()
    give_to_owner([path], workspace)

    assert owner(path) == (RUNNER, RUNNER)


def test_what_a_link_leads_to_keeps_its_owner(workspace, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "file").touch()
    folder = report(workspace)
    (folder / "link").symlink_to(other)
    (folder / "deep" / "link").symlink_to(other / "file")
    said = give_to_owner([folder], workspace)

    assert said == []
    assert (owner(other), owner(other / "file")) == ((0, 0), (0, 0))
    assert owner(folder / "link") == (RUNNER, RUNNER)


def test_no_link_is_followed_on_the_way(workspace, tmp_path):
    other = tmp_path / "other"
    (other / "report").mkdir(parents=True)
    (workspace / "out").symlink_to(other)
    said = give_to_owner([workspace / "out" / "report"], workspace)

    assert len(said) == 1
    assert owner(other / "report") == (0, 0)


@pytest.mark.parametrize("outside", ["../other", ".", "x/../../other"])
def test_nothing_else_is_given_away(workspace, tmp_path, outside):
    (tmp_path / "other").mkdir()
    (workspace / "x").mkdir()
    said = give_to_owner([workspace / outside], workspace)

    assert said[0].endswith("is not below the workspace; its owner stays")
    assert owner(tmp_path / "other") == (0, 0)


def test_what_is_not_there_costs_a_sentence_and_nothing_else(workspace):
    there = workspace / "badge.json"
    there.touch()
    said = give_to_owner([workspace / "missing", there], workspace)

    assert said == ["missing keeps its owner: no such file or directory"]
    assert owner(there) == (RUNNER, RUNNER)
