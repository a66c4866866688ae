import pytest

from agentevals.report.exports.folder import open_folder


def broken():
    yield "half"
    raise OSError(28, "No space left on device")


def test_a_file_that_could_not_be_finished_is_as_it_was_before(tmp_path):
    (tmp_path / "a.json").write_text("old")
    with open_folder(tmp_path) as folder, pytest.raises(OSError, match="No space"):
        folder.write("a.json", broken())

    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    assert (tmp_path / "a.json").read_text() == "old"


def test_a_file_that_somebody_keeps_open_is_not_changed(tmp_path):
    (tmp_path / "a.json").write_text("old")
    with (tmp_path / "a.json").open() as before, open_folder(tmp_path) as folder:
        folder.write("a.json", ["ne", "w"])

        assert before.read() == "old"
    assert (tmp_path / "a.json").read_text() == "new"


def test_a_folder_that_is_replaced_by_a_link_meanwhile_is_still_the_same(tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "elsewhere").mkdir()
    with open_folder(tmp_path / "reports") as folder:
        (tmp_path / "reports").rename(tmp_path / "moved")
        (tmp_path / "reports").symlink_to("elsewhere")
        folder.write("a.json", ["new"])

    assert (tmp_path / "moved" / "a.json").read_text() == "new"
    assert list((tmp_path / "elsewhere").iterdir()) == []
