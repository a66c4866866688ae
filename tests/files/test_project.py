from pathlib import Path

import pytest

from agentevals.files.project import find_project, holds_projects


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for evaluators in somebody's project; the working directory is elsewhere."""
    made = tmp_path / "home" / "project" / "evals"
    made.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return made


def test_the_project_is_the_repository(folder: Path) -> None:
    (folder.parent / ".git").mkdir()

    assert find_project(folder) == folder.parent


def test_without_a_repository_it_is_the_working_directory_around_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_project(folder) == folder
    monkeypatch.chdir(folder.parent)
    assert find_project(folder) == folder.parent


@pytest.mark.parametrize("place", ["..", "../.."])
def test_a_home_is_no_project_though_it_is_a_repository_or_where_we_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    home = folder.parent.parent
    (home / ".git").mkdir()
    monkeypatch.chdir(folder.parent / place)

    assert find_project(folder) == folder
    assert find_project(home) == home


def test_a_folder_for_everybody_holds_more_than_one_project(folder: Path) -> None:
    folder.chmod(0o1777)

    assert holds_projects(folder)
    assert holds_projects(Path("/"))
    assert not holds_projects(folder.parent)
