import json
import os
import sys
from pathlib import Path

import pytest

from agentevals.graders.programs.judge_program import JudgeProgram
from agentevals.graders.programs.program_grants import Loan
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox.isolation import Rights, describe

strict = pytest.mark.skipif(
    sys.platform != "linux" or not describe().startswith("strict"), reason="the walls are lower"
)
READS = """
import json, sys
def text(path):
    try: return open(path).read()
    except OSError: return None
print(json.dumps([text(path) for path in sys.argv[1:]]))
"""


@pytest.fixture
def repository(tmp_path):
    """A checkout with a config, judges, something beside them, and the token of a job."""
    for path, text in (
        (".git/config", "token"),
        ("evals/EVAL.yaml", ""),
        ("evals/judges/judge.py", READS),
        ("evals/judges/words.py", "WORDS = ['a']"),
        ("scripts/judge.py", READS),
        ("scripts/beside.txt", "beside"),
        ("private/notes.txt", "private"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def run(command, folder, cwd=".", **how):
    program = JudgeProgram(command=command, cwd=folder / cwd, beside=folder, timeout=20, **how)
    return program.run(b"{}", name="j")


def test_it_works_in_its_folder_and_reads_what_lies_there(repository):
    done = run("python judge.py words.py", repository / "evals", "judges")

    assert json.loads(done.stdout) == ["WORDS = ['a']"]


def test_the_example_with_a_path_from_the_config_and_a_folder_of_its_own_works(repository):
    done = run(["python", "./judges/judge.py", "words.py"], repository / "evals", "./judges")

    assert json.loads(done.stdout) == ["WORDS = ['a']"]


def test_it_imports_what_lies_beside_it(repository):
    (repository / "evals/judges/judge.py").write_text("import words; print(words.WORDS)")

    assert run("python judges/judge.py", repository / "evals").stdout == b"['a']\n"


def test_a_shell_finds_our_python(repository):
    done = run("python judges/judge.py EVAL.yaml | tr -d '[]'", repository / "evals")

    assert done.stdout == b'""\n'


@strict
def test_a_script_elsewhere_in_the_repository_is_read_with_what_lies_beside_it(repository):
    paths = ["../scripts/beside.txt", "../.git/config"]
    done = run(["python", "../scripts/judge.py", *paths], repository / "evals")

    assert json.loads(done.stdout) == ["beside", None]


def test_no_program_works_in_the_history_of_a_repository(repository):
    with pytest.raises(InputError, match=r"its 'cwd' '.*' is closed to programs"):
        run("cat config", repository, ".git")


@strict
def test_what_the_command_does_not_name_stays_closed(repository):
    hidden = "../scripts/../private/not" + "es.txt"
    (repository / "evals/judges/judge.py").write_text(
        f"try: print(open({hidden!r}).read())\nexcept PermissionError: print('closed')\n"
    )

    assert run("python judges/judge.py", repository / "evals").stdout == b"closed\n"


@strict
def test_what_lies_outside_of_the_repository_is_not_opened_by_naming_it(
    repository, tmp_path_factory
):
    secret = tmp_path_factory.mktemp("home") / "id_rsa"
    secret.write_text("secret")

    done = run(["python", "judges/judge.py", str(secret)], repository / "evals")

    assert json.loads(done.stdout) == [None]


@strict
def test_nothing_is_written_to_the_repository(repository):
    (repository / "evals/judges/judge.py").write_text(
        "try: open('new.txt', 'w')\nexcept PermissionError: print('closed')\n"
    )

    assert run("python judges/judge.py", repository / "evals").stdout == b"closed\n"


def test_no_variable_of_ours_is_passed_on(repository, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "secret")

    assert b"secret" not in run("env", repository).stdout


def test_a_folder_that_is_not_there_is_said(repository):
    program = JudgeProgram(command="python x.py", cwd=repository / "gone")

    assert program.problems() == [
        f"cannot be started: its 'cwd' {str(repository / 'gone')!r} is no folder"
    ]
    with pytest.raises(InputError, match=r"evaluator 'j': cannot be started: its 'cwd'"):
        program.run(b"", name="j")


@pytest.mark.parametrize("command", [["no-such-program"], "uv run pytest", "python 'x"])
def test_what_would_keep_it_from_starting_is_known_before(command, repository):
    program = JudgeProgram(command=command, cwd=repository)

    (problem,) = program.problems()
    with pytest.raises(InputError) as refused:
        program.run(b"", name="j")
    assert str(refused.value) == f"evaluator 'j': {problem}"


def test_packages_are_not_installed_to_know_that(repository):
    script = repository / "evals/judges/judge.py"
    script.write_text('# /// script\n# dependencies = ["no-such-package-anywhere"]\n# ///\n')

    assert JudgeProgram(command="uv run judge.py", cwd=script.parent).problems() == []


def test_the_text_of_the_files_that_it_names_is_what_judges(repository):
    program = JudgeProgram(command="python judges/judge.py", cwd=repository / "evals")
    before = program.compute_digest()
    (repository / "evals/judges/judge.py").write_text("print(2)")

    assert before != program.compute_digest() != ""
    assert JudgeProgram(command="cat", cwd=repository).compute_digest() == ""


BAD = {
    "endless": ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "printed more than 16"),
    "stubborn": (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
        "took longer than 1 s",
    ),
    "forking": ("import os, time\nos.fork()\nos.fork()\ntime.sleep(60)", "took longer than 1 s"),
}


@pytest.mark.parametrize("which", BAD)
def test_programs_that_misbehave_end(which, repository):
    text, said = BAD[which]
    (repository / "bad.py").write_text(text)

    program = JudgeProgram(command="python bad.py", cwd=repository, timeout=1)

    with pytest.raises(EvaluatorError, match=said):
        program.run(b"", name="j", loan=Loan(Rights(subprocess=True), {}))


def test_a_message_that_is_not_read_does_no_harm(repository):
    (repository / "deaf.py").write_text("print(1)")

    program = JudgeProgram(command="python deaf.py", cwd=repository)
    assert program.run(b"x" * 10_000_000, name="j").stdout == b"1\n"


def test_its_home_is_a_folder_that_is_gone_afterwards(repository):
    (repository / "home.py").write_text(
        "import os, pathlib\nhome = pathlib.Path.home()\n(home / 'x').touch()\nprint(home)\n"
    )

    home = run("python home.py", repository).stdout.decode().strip()
    assert home != str(repository)
    assert not os.path.lexists(home)


@pytest.mark.parametrize("command", ["python judge.py", "cat", "python 'x"])
def test_it_is_prepared_without_a_word_about_what_is_wrong(command, repository):
    program = JudgeProgram(command=command, cwd=repository / "scripts")
    program.prepare()

    assert program.compute_digest() == program.compute_digest()


def test_the_history_of_a_repository_is_closed_to_the_command_as_well(repository):
    program = JudgeProgram(command="cat config", cwd=repository / ".git", beside=repository)

    assert program.problems() == [
        f"cannot be started: its 'cwd' {str(repository / '.git')!r} is closed to programs"
    ]


def test_a_folder_outside_of_the_repository_is_not_opened(repository, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (repository / "link").symlink_to("/etc")

    def problems(cwd):
        return JudgeProgram(command="cat", cwd=cwd, beside=repository / "scripts").problems()

    for cwd in (elsewhere, repository.parent, *map(Path, ("/", "/etc", "/proc", "/root"))):
        said = f"its 'cwd' {str(cwd)!r} lies outside of the project {str(repository)!r}"
        assert problems(cwd) == [f"cannot be started: {said}; name a folder in it"]
    assert "lies outside" in problems(repository / "link")[0]
    assert problems(repository) == problems(repository / "scripts") == []


def test_a_config_in_the_home_of_somebody_works_there(repository, monkeypatch):
    monkeypatch.setenv("HOME", str(repository / "scripts"))

    assert JudgeProgram(command="cat", cwd=repository / "scripts").problems() == []


def test_a_home_that_is_a_repository_is_no_project(repository, monkeypatch):
    monkeypatch.setenv("HOME", str(repository))
    program = JudgeProgram(command="cat", cwd=repository, beside=repository / "scripts")

    assert "lies outside of the project" in program.problems()[0]


@strict
def test_the_token_of_a_nested_checkout_stays_closed(repository):
    for path in ("tool/.git/config", "tool/.env", "tool/main.py", "tool/deep/.ssh/id_rsa"):
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text("text")
    paths = ("tool/main.py", "tool/.git/config", "tool/.env", "tool/deep/.ssh/id_rsa")

    done = run(["python", "scripts/judge.py", *paths], repository)

    assert json.loads(done.stdout) == ["text", None, None, None]


def test_a_folder_with_a_nul_in_it_is_none(repository):
    assert "is no folder" in JudgeProgram(command="cat", cwd=repository / "a\0b").problems()[0]


def test_a_file_that_is_very_long_is_told_apart_by_nothing_but_its_name(repository):
    with (repository / "long.py").open("wb") as file:
        file.truncate(17 << 20)

    assert JudgeProgram(command="python long.py", cwd=repository).compute_digest()
