import pytest

from agentevals.files import documents
from agentevals.files.paths import Paths


@pytest.fixture
def paths(tmp_path, monkeypatch):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "c.yaml").write_text("a: 1\nb: x.json\n")
    monkeypatch.chdir(tmp_path)
    return Paths(documents.read(tmp_path / "configs" / "c.yaml"))


def test_the_folder_of_the_file_comes_first(paths, tmp_path):
    (tmp_path / "x.json").touch()
    (tmp_path / "configs" / "x.json").touch()

    assert paths.absolute("x.json", ("b",)) == str(tmp_path / "configs" / "x.json")
    assert paths.findings == []


def test_then_the_working_directory_and_it_is_said(paths, tmp_path):
    (tmp_path / "x.json").touch()

    assert paths.absolute("x.json", ("b",)) == str(tmp_path / "x.json")
    [finding] = paths.findings
    assert str(finding) == (
        f"{tmp_path}/configs/c.yaml:2:4: 'x.json' is not in the folder of this file; "
        "the one in the working directory is used"
    )


def test_what_is_nowhere_is_expected_beside_the_file(paths, tmp_path):
    assert paths.absolute("x.json", ("b",)) == str(tmp_path / "configs" / "x.json")


def test_an_absolute_path_stays(paths):
    assert paths.absolute("/x/y.json", ("b",)) == "/x/y.json"


def test_a_glob_goes_where_it_matches(paths, tmp_path):
    (tmp_path / "x.json").touch()

    assert paths.absolute("*.json", ("b",)) == str(tmp_path / "*.json")
    assert paths.absolute("*.xml", ("b",)) == str(tmp_path / "configs" / "*.xml")


@pytest.mark.parametrize("name", ["a\0b", "*\0", "x\0/*", "a" * 5_000])
def test_a_name_that_no_file_can_have(paths, tmp_path, name):
    assert paths.absolute(name, ("b",)) == str(tmp_path / "configs" / name)
