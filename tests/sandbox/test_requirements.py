import os

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.requirements import hash_content, read_lines


def test_comments_are_no_requirements(tmp_path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("# one\n\nsix # two\nurl#egg=x\n  \n")

    assert list(read_lines(requirements)) == ["six", "url#egg=x"]


def test_requirements_that_cannot_be_read(tmp_path):
    (tmp_path / "requirements.txt").write_bytes(b"\xff")
    with pytest.raises(EvaluatorError, match=r"requirements\.txt cannot be read"):
        list(read_lines(tmp_path / "requirements.txt"))

    (tmp_path / "requirements.txt").write_text("-r missing.txt")
    with pytest.raises(EvaluatorError, match=r"missing\.txt cannot be read"):
        list(read_lines(tmp_path / "requirements.txt"))


def test_files_that_include_each_other_are_read_once(tmp_path):
    for number in range(60):
        (tmp_path / f"{number}.txt").write_text(f"-r {number + 1}.txt\n" * 3)
    (tmp_path / "60.txt").write_text("six\n-r 0.txt\n")

    assert list(read_lines(tmp_path / "0.txt")).count("six") == 1


@pytest.mark.parametrize("way", ["folder/../", "here/", "here/there/here/"])
def test_a_file_that_includes_itself_in_a_roundabout_way_is_read_once(tmp_path, way):
    (tmp_path / "folder").mkdir()
    for link in ("here", "there"):
        (tmp_path / link).symlink_to(tmp_path)
    (tmp_path / "own.txt").write_text(f"-r {way}own.txt\n")

    assert list(read_lines(tmp_path / "own.txt")) == [f"-r {way}own.txt"]


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    (tmp_path / "own.txt").write_text("-r a\0b\n")

    with pytest.raises(EvaluatorError, match="cannot be read: embedded null byte"):
        list(read_lines(tmp_path / "own.txt"))


def test_what_an_installer_may_read_counts_whatever_kind_of_file_it_is(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    before = hash_content(tmp_path)
    (tmp_path / "code" / "a.py").write_text("2")
    hash_content.cache_clear()

    assert hash_content(tmp_path) != before


def test_an_endless_file_is_no_requirements_file(tmp_path):
    (tmp_path / "requirements.txt").write_text("-r /dev/zero")

    with pytest.raises(EvaluatorError, match="/dev/zero cannot be read: it is no file of at most"):
        list(read_lines(tmp_path / "requirements.txt"))


def test_what_a_link_names_elsewhere_is_not_read(tmp_path):
    (tmp_path / "judge").mkdir()
    (tmp_path / "elsewhere").write_text("1")
    (tmp_path / "judge" / "link").symlink_to(tmp_path / "elsewhere")
    before = hash_content(tmp_path / "judge")
    (tmp_path / "elsewhere").write_text("2")
    hash_content.cache_clear()

    assert hash_content(tmp_path / "judge") == before
