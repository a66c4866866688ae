import pytest

from agentevals.graders.programs.judges.packages import prepare_environment, read_inline
from agentevals.model.errors import EvaluatorError

BLOCK = """\
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "rich>=13",
#   "numpy",
# ]
# ///
import rich
"""


@pytest.fixture
def script(tmp_path):
    return tmp_path / "judge.py"


@pytest.mark.parametrize("text", [BLOCK, f"#!/usr/bin/env python3\n\n{BLOCK}", BLOCK + "#\n"])
def test_dependencies_stand_in_a_comment(script, text):
    script.write_text(text)

    assert read_inline(script) == ["rich>=13", "numpy"]


def test_line_ends_of_windows_do_no_harm(script):
    script.write_bytes(BLOCK.replace("\n", "\r\n").encode())

    assert read_inline(script) == ["rich>=13", "numpy"]


@pytest.mark.parametrize(
    "text",
    ["", "print(1)", "# /// script\n", "# /// script\n# ///\n", "# /// script\n# x = 1\n# ///\n"],
)
def test_most_scripts_ask_for_nothing(script, text):
    script.write_text(text)

    assert read_inline(script) == []
    assert prepare_environment(script) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("# dependencies = [", "is no TOML"),
        ("# dependencies = 'rich'", "is no list of texts"),
        ("# dependencies = [1]", "is no list of texts"),
    ],
)
def test_a_comment_that_cannot_be_read_is_said(script, line, said):
    script.write_text(f"# /// script\n{line}\n# ///\n")

    with pytest.raises(EvaluatorError, match=f"judge.py .*{said}"):
        read_inline(script)


def test_a_line_end_in_a_dependency_starts_no_line_of_its_own(script):
    script.write_text('# /// script\n# dependencies = ["rich\\n--index-url http://x"]\n# ///\n')

    assert read_inline(script) == ["rich --index-url http://x"]


def test_what_is_no_file_is_not_read(tmp_path):
    assert read_inline(tmp_path) == []
    assert read_inline(tmp_path / "gone.py") == []


def test_a_file_of_requirements_beside_it_counts_where_it_says_nothing_itself(script, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(script.parent / "cache"))
    script.write_text("print(1)")
    script.with_name("requirements.txt").write_text("no-such-package-anywhere==1\n")

    with pytest.raises(EvaluatorError, match="no-such-package-anywhere"):
        prepare_environment(script)
