import sys

import pytest

from agentevals.graders.programs.code_judge_commands import (
    Command,
    prepare_environment,
    read_inline,
    split_words,
)
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox.program_runtimes import find_node


@pytest.fixture
def folder(tmp_path):
    """A config's folder with judges in a folder of their own."""
    (tmp_path / "judges").mkdir()
    for name in ("syntax.py", "check.js", "check.ts", "run.sh"):
        (tmp_path / "judges" / name).write_text("#!/bin/sh\n")
    (tmp_path / "judges" / "run.sh").chmod(0o755)
    (tmp_path / "data.json").write_text("{}")
    return tmp_path


def argv(command, folder, cwd="."):
    return Command.parse(command, folder / cwd, folder).build_argv(prepare=False)[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("python judge.py", ["python", "judge.py"]),
        ("  python  judge.py --level 3 ", ["python", "judge.py", "--level", "3"]),
        ("python 'my judge.py' \"a b\"", ["python", "my judge.py", "a b"]),
        ("node judge.mjs --x=1", ["node", "judge.mjs", "--x=1"]),
    ],
)
def test_a_plain_text_is_split_into_words(text, words):
    assert split_words(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "cat >/dev/null; echo '{}'",
        "python judge.py | tail -1",
        "python judge.py && true",
        "python $HOME/judge.py",
        "MODE=strict python judge.py",
        "python judge.py --file=$(ls)",
        "python *.py",
        "exit 4",
        "cd judges\npython judge.py",
        "python a\\ b.py",
    ],
)
def test_what_only_a_shell_understands_is_left_to_one(text):
    assert split_words(text) == ["/bin/sh", "-c", text]


def test_a_quotation_that_does_not_end_is_refused():
    with pytest.raises(InputError, match="no closing quotation"):
        split_words("python 'judge.py")


@pytest.mark.parametrize("empty", ["", "  ", [], [""], [" ", "x"]])
def test_a_command_names_a_program(empty, tmp_path):
    with pytest.raises(InputError, match="'command' is empty"):
        Command.parse(empty, tmp_path, tmp_path)


def test_a_nul_is_refused(tmp_path):
    with pytest.raises(InputError, match="a NUL in it"):
        Command.parse(["python", "a\0b"], tmp_path, tmp_path)


@pytest.mark.parametrize("python", ["python", "python3"])
def test_python_is_our_own_interpreter(python, folder):
    command = Command.parse([python, "judges/syntax.py", "-v"], folder, folder)

    assert command.build_argv() == ([sys.executable, "judges/syntax.py", "-v"], ())


@pytest.mark.parametrize(
    "written",
    [
        "uv run judges/syntax.py --x",
        ["uv", "run", "judges/syntax.py", "--x"],
        "uv run --script -q judges/syntax.py --x",
        "uv run python judges/syntax.py --x",
    ],
)
def test_uv_runs_a_script_as_we_would(written, folder):
    command = Command.parse(written, folder, folder)

    assert command.build_argv() == ([sys.executable, "judges/syntax.py", "--x"], ())


def test_packages_that_uv_is_told_of_are_asked_for(folder):
    command = Command.parse("uv run --with 'numpy>2' --with=rich judges/syntax.py", folder, folder)

    assert command.packages == ("numpy>2", "rich")


@pytest.mark.parametrize(
    "written", ["uv run --project x judges/syntax.py", "uv run pytest", "uv run", "uv run --with"]
)
def test_what_uv_does_beyond_that_is_refused(written, tmp_path):
    with pytest.raises(InputError, match=r"'uv run.* cannot be done here; give the script"):
        Command.parse(written, tmp_path, tmp_path)


def test_a_path_is_one_in_the_working_directory(folder):
    command = Command.parse(["python", "syntax.py", "../data.json"], folder / "judges", folder)

    assert command.words == ("python", "syntax.py", "../data.json")
    assert command.files == (folder / "judges/syntax.py", folder / "judges/../data.json")


def test_a_path_that_is_only_right_from_the_config_is_made_absolute(folder):
    command = Command.parse(
        ["python", "./judges/syntax.py", "data.json", "-v", "nope.txt"], folder / "judges", folder
    )

    assert command.words == (
        *("python", str(folder / "judges/syntax.py"), str(folder / "data.json")),
        *("-v", "nope.txt"),
    )


def test_files_that_a_text_for_a_shell_names_are_known(folder):
    command = Command.parse("python judges/syntax.py | sh judges/run.sh", folder, folder)

    assert command.files == (folder / "judges/syntax.py", folder / "judges/run.sh")


def test_scripts_run_by_what_their_name_ends_in_unless_they_are_executable(folder):
    script = str(folder / "judges/syntax.py")
    node, *_ = argv("./judges/check.js", folder)

    assert argv("judges/syntax.py", folder) == [script] or argv(script, folder)
    assert Command.parse("./judges/syntax.py -v", folder, folder).build_argv()[0] == [
        *(sys.executable, script, "-v"),
    ]
    assert node == str(find_node())
    assert argv(["./judges/run.sh", "x"], folder) == [str(folder / "judges/run.sh"), "x"]


def test_node_is_given_what_it_needs_for_types(folder):
    words = argv(["node", "judges/check.ts", "x"], folder)

    assert (words[0], words[-2:]) == (str(find_node()), ["judges/check.ts", "x"])


@pytest.mark.parametrize("written", [["bun", "run", "x.ts"], "no-such-program -v", ["nope"]])
def test_a_program_that_is_not_there_is_said(written, tmp_path):
    with pytest.raises(InputError, match=r"cannot be started: '.*' was not found; install it"):
        argv(written, tmp_path)


def test_a_file_in_no_known_language_is_said(tmp_path):
    (tmp_path / "judge.rb").write_text("puts 1")

    with pytest.raises(InputError, match=r"cannot be started: no runtime for judge\.rb"):
        argv("./judge.rb", tmp_path)


def test_a_text_for_a_shell_that_does_not_end_still_names_its_files(folder):
    command = Command.parse("cat judges/run.sh | 'x", folder, folder)

    assert command.files == (folder / "judges/run.sh",)


def test_a_word_that_is_too_long_for_a_path_is_no_file(folder):
    command = Command.parse(["python", "judges/syntax.py", "x" * 10_000], folder, folder)

    assert command.files == (folder / "judges/syntax.py",)


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
