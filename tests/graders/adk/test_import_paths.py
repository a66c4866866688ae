import os

import pytest

from agentevals.graders.adk import import_paths


@pytest.fixture
def repository(tmp_path):
    """A repository with a package, an agent in it, and a config beside the agent."""
    (tmp_path / "outside.py").touch()
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "agents" / "mine").mkdir(parents=True)
    (root / "agents" / "mine" / "metrics.py").touch()
    (root / "shared.py").touch()
    return root


def test_folders_are_tried_from_the_config_up_to_the_repository(repository):
    folder = repository / "agents" / "mine"

    assert import_paths.find_places("nosuch.f", folder).tried == (
        folder,
        repository / "agents",
        repository,
    )


@pytest.mark.parametrize(
    ("function", "root", "home"),
    [
        ("metrics.f", "agents/mine", "agents/mine"),
        ("mine.metrics.f", "agents", "agents/mine"),
        ("agents.mine.metrics.f", "", "agents/mine"),
        ("shared.f", "", ""),
    ],
)
def test_the_folder_that_has_it_may_be_read_and_the_one_of_the_config(
    repository, function, root, home
):
    folder = repository / "agents" / "mine"

    places = import_paths.find_places(function, folder)

    assert places.roots == tuple(dict.fromkeys((repository / root, folder)))
    assert places.home == repository / home


def test_nothing_outside_of_the_repository_is_looked_at(repository):
    assert import_paths.find_places("outside.f", repository / "agents").roots == (
        repository / "agents",
    )


def test_without_a_repository_nothing_above_is_looked_at(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    (tmp_path / "above.py").touch()

    assert import_paths.find_places("above.f", folder) == ((folder,), (folder,), folder, None)


def test_the_folder_of_the_config_may_be_the_package_though_what_is_around_it_is_not_read(tmp_path):
    folder = tmp_path / "mine"
    (folder / "inner").mkdir(parents=True)

    places = import_paths.find_places("mine.inner.metrics.f", folder)

    assert places == ((folder,), (folder,), folder / "inner", folder)


def test_without_a_repository_the_working_directory_is_looked_at_too(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert import_paths.find_places("x.f", folder).tried[-1] == tmp_path


def test_a_link_that_leads_out_of_the_repository_opens_nothing(repository):
    outside = repository.parent / "private"
    (outside / "inner").mkdir(parents=True)
    (repository / "private").symlink_to(outside)

    places = import_paths.find_places("private.inner.metrics.f", repository)

    assert places.home == repository
    assert places.roots == (repository,)


def test_a_link_within_the_repository_is_followed(repository):
    (repository / "linked").symlink_to(repository / "agents")

    assert (
        import_paths.find_places("linked.mine.metrics.f", repository).home
        == repository / "linked/mine"
    )


@pytest.mark.parametrize("function", ["f", "", "a..f", "a.f ", "a/b.f", "1a.f"])
def test_what_is_no_import_path_is_refused(function):
    with pytest.raises(ValueError, match="no import path"):
        import_paths.check_import_path(function)


def test_a_folder_that_is_not_there_is_found_out_before_a_run(tmp_path):
    (problem,) = import_paths.find_problems("a.f", tmp_path / "nosuch")

    assert problem.endswith("nosuch is no folder, so a.f cannot lie in it")


def test_pipes_and_devices_are_no_source(tmp_path):
    os.mkfifo(tmp_path / "requirements.txt")
    (tmp_path / "metrics.py").symlink_to("/dev/zero")

    assert import_paths.read_source("metrics.f", tmp_path) == b"\0\0"
