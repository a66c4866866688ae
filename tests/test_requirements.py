import os

import pytest

from agentevals.errors import EvaluatorError
from agentevals.requirements import content_of, lines_of


def test_comments_are_no_requirements(tmp_path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("# one\n\nsix # two\nurl#egg=x\n  \n")

    assert list(lines_of(requirements)) == ["six", "url#egg=x"]


def test_requirements_that_cannot_be_read(tmp_path):
    (tmp_path / "requirements.txt").write_bytes(b"\xff")
    with pytest.raises(EvaluatorError, match=r"requirements\.txt cannot be read"):
        list(lines_of(tmp_path / "requirements.txt"))

    (tmp_path / "requirements.txt").write_text("-r missing.txt")
    with pytest.raises(EvaluatorError, match=r"missing\.txt cannot be read"):
        list(lines_of(tmp_path / "requirements.txt"))


def test_what_an_installer_may_read_counts_whatever_kind_of_file_it_is(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    before = content_of(tmp_path)
    (tmp_path / "code" / "a.py").write_text("2")
    content_of.cache_clear()

    assert content_of(tmp_path) != before


def test_an_endless_file_is_no_requirements_file(tmp_path):
    (tmp_path / "requirements.txt").write_text("-r /dev/zero")

    with pytest.raises(EvaluatorError, match="/dev/zero cannot be read: it is no file of at most"):
        list(lines_of(tmp_path / "requirements.txt"))


def test_what_a_link_names_elsewhere_is_not_read(tmp_path):
    (tmp_path / "judge").mkdir()
    (tmp_path / "elsewhere").write_text("1")
    (tmp_path / "judge" / "link").symlink_to(tmp_path / "elsewhere")
    before = content_of(tmp_path / "judge")
    (tmp_path / "elsewhere").write_text("2")
    content_of.cache_clear()

    assert content_of(tmp_path / "judge") == before
