""""""

from pathlib import Path

import pytest

from agentevals.files.named_files import find_matches
from agentevals.files.project_paths import (
    find_project,
    holds_projects,
    is_literal,
    join_pattern,
    split_pattern,
    unescape,
)

FOLDERS = ["[id]", "**b**", "a?", "[[]id]", "[[...slug]]", "[!a]", "]", "plain"]


@pytest.fixture
def top(tmp_path):
    """Folders of every name, and those that a glob of these names would find."""
    for name in (*FOLDERS, "i", "b", "abc", "ab"):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "x.json").write_text(name)
    return tmp_path


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("given", ["inner/*.json", "**/x.json", "*/x.json", "inner/x.json"])
def test_a_folder_is_no_glob_whatever_it_is_called(top, name, given):
    pattern = join_pattern(top / name, given)

    assert list(find_matches(pattern)) == [top / name / "inner" / "x.json"]


@pytest.mark.parametrize("name", FOLDERS)
def test_neither_is_it_for_a_glob_of_another_folder(top, name):
    pattern = join_pattern(top / name, "../b/inner/*.json")

    assert [path.read_text() for path in find_matches(pattern)] == ["b"]


@pytest.mark.parametrize("name", sorted({*FOLDERS} - {"**b**", "a?"}))
def test_what_exists_under_that_very_name_is_meant(top, name):
    pattern = join_pattern(top, f"{name}/inner/x.json")

    assert list(find_matches(pattern)) == [top / name / "inner" / "x.json"]


def test_what_does_not_exist_under_that_name_is_a_glob(top):
    pattern = join_pattern(top, "[bi]/inner/*.json")

    assert {path.read_text() for path in find_matches(pattern)} == {"b", "i"}


def test_what_lies_elsewhere_is_named_from_there(top):
    assert join_pattern(top / "[id]", f"{top}/*/inner") == f"{top}/*/inner"


@pytest.mark.parametrize(
    ("pattern", "start", "rest"),
    [
        ("/w/a/*.json", "/w/a", ("*.json",)),
        ("/w/**/x", "/w", ("**", "x")),
        ("/w/a/b", "/w/a/b", ()),
        ("/w/[ab]/c", "/w", ("[ab]", "c")),
        ("/w/[[]ab]/c/*", "/w/[ab]/c", ("*",)),
        ("/w/[*][*]/c", "/w/**/c", ()),
    ],
)
def test_a_glob_starts_from_its_last_plain_folder(pattern, start, rest):
    assert split_pattern(pattern) == (Path(start), rest)


@pytest.mark.parametrize("part", ["*", "a*[*]", "[ab]", "[[][ab]", "?"])
def test_a_part_with_a_wildcard_names_more_than_one(part):
    assert not is_literal(part)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_name_can_be_read_back(top, name):
    assert unescape(join_pattern(top, name)) == str(top / name)


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
