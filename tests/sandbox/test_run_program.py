import py_compile
import sys
from pathlib import Path

import pytest

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.isolation import Rights, run_installer, run_program
from tests.sandbox.conftest import Run


def test_a_program_gets_its_stdin_and_gives_its_stdout_stderr_and_exit_code(either: Run) -> None:
    finished = either(
        """
        import sys
        print(sys.stdin.read().upper(), end="")
        print("careful", file=sys.stderr)
        sys.exit(3)
        """,
        "grüße".encode(),
    )

    assert finished.stdout == "GRÜSSE".encode()
    assert (finished.stderr, finished.exit_code) == ("careful\n", 3)


def test_a_script_sees_the_arguments_the_path_and_the_name_it_would_have(either: Run) -> None:
    finished = either(
        """
        import os, sys
        assert __name__ == "__main__" and sys.modules["__main__"].__dict__ is globals()
        assert os.path.dirname(os.path.abspath(__file__)) == sys.path[0]
        print(sys.argv[1:])
        """,
        b"",
        "one",
        "two",
    )

    assert finished.stdout == b"['one', 'two']\n"


def test_a_script_imports_the_modules_beside_it(evaluator: Run, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text("answer = 42")

    assert evaluator("import server; print(server.answer)").stdout == b"42\n"


def test_the_standard_streams_can_be_opened_by_their_paths(either: Run) -> None:
    finished = either(
        """
        open("/dev/stdout", "w").write(open("/dev/stdin").read())
        open("/dev/stderr", "w").write(open("/proc/self/fd/0").read())
        """,
        b"twice",
    )

    assert (finished.stdout, finished.stderr) == (b"twice", "twice")


def test_shell_programs_run(program: Run) -> None:
    finished = program("#!/bin/sh\ncat /dev/stdin | tr a-z A-Z > /dev/stdout; echo no >&2", b"yes")

    assert (finished.stdout, finished.stderr) == (b"YES", "no\n")


def test_what_is_on_our_path_is_found(tmp_path: Path) -> None:
    assert run_program(["cat"], stdin=b"x", timeout=10, folder=tmp_path).stdout == b"x"


def test_the_environment_is_built_from_nothing(
    either: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")

    finished = either("import os; print(*sorted(os.environ))", env={"EXTRA": "1"})

    assert set(finished.stdout.decode().split()) - {"LC_CTYPE", "PWD", "SHLVL", "_"} == {
        *("EXTRA", "HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"),
        *("PYTHONIOENCODING", "PYTHONUTF8", "TMPDIR"),
    }


def test_proxies_and_certificates_are_passed_on_only_with_the_network(
    evaluator: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    text = "import os; print(os.environ.get('HTTPS_PROXY'))"

    assert evaluator(text).stdout == b"None\n"
    assert evaluator(text, rights=Rights(network=True)).stdout == b"http://proxy.invalid\n"


def test_what_it_writes_where_it_works_is_gone_afterwards(either: Run, tmp_path: Path) -> None:
    finished = either("open('note.json', 'w').write('x'); print(open('note.json').read())")

    assert finished.stdout == b"x\n"
    assert not (tmp_path / "note.json").exists()


def test_home_and_tmpdir_are_a_folder_that_is_gone_afterwards(either: Run) -> None:
    finished = either("""
        import os, pathlib, tempfile
        home = pathlib.Path.home()
        deep = home / "a" / "b"
        deep.mkdir(parents=True)
        (deep / "file").write_text("left behind")
        (home / "closed").mkdir(0o000)
        (home / "link").symlink_to("/etc")
        assert tempfile.gettempdir() == str(home) and os.listdir(home)
        print(home)
        """)

    assert finished.exit_code == 0, finished.stderr
    assert not Path(finished.stdout.decode().strip()).exists()


def test_a_very_deep_folder_is_removed_too(evaluator: Run) -> None:
    finished = evaluator("""
        import os
        os.chdir(os.environ["HOME"])
        print(os.getcwd())
        for _ in range(1500):
            os.mkdir("d"), os.chdir("d")
        """)

    assert finished.exit_code == 0, finished.stderr
    assert not Path(finished.stdout.decode().strip()).exists()


def test_a_file_moves_between_folders_of_its_own(evaluator: Run) -> None:
    finished = evaluator("""
        import os
        os.chdir(os.environ["HOME"])
        os.mkdir("from"), os.mkdir("to")
        open("from/file", "w").close()
        os.rename("from/file", "to/file")
        """)

    assert finished.exit_code == 0, finished.stderr


def test_the_level_that_was_reached_is_told(evaluator: Run) -> None:
    assert evaluator("").isolation.split()[0] in {"basic", "partial", "strict"}


def test_an_installer_writes_to_its_folder_and_reports_its_progress(tmp_path: Path) -> None:
    (tmp_path / "install.py").write_text(
        "import pathlib, sys\n"
        "for n in range(3): print('step', n)\n"
        "print('warning', file=sys.stderr)\n"
        "pathlib.Path('made').mkdir()\n"
        "pathlib.Path('made/file').write_text('x')\n"
    )
    lines: list[str] = []

    finished = run_installer(
        [sys.executable, "install.py"], timeout=10, folder=tmp_path, on_line=lines.append
    )

    assert finished.exit_code == 0, finished.stderr
    assert sorted(lines) == ["step 0", "step 1", "step 2", "warning"]
    made = (tmp_path / "made" / "file").stat()
    assert made.st_uid == tmp_path.stat().st_uid
    assert made.st_mode & 0o044 == 0o044


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-program"], "cannot be started: 'no-such-program' was not found"),
        (["./gone"], "cannot be started: './gone' was not found"),
        (["./plain"], "cannot be started: './plain' is not executable; `chmod +x` makes it so"),
        (["./lost"], "lost' names an interpreter in its first line that does not exist"),
        (["./shapeless"], "is neither a program for this machine nor has a first line with `#!`"),
    ],
)
def test_what_cannot_be_started_is_said_in_a_sentence(
    command: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    for name, text in (("lost", "#!/no/such/interpreter\n"), ("shapeless", "hello\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    with pytest.raises(EvaluatorError) as refused:
        run_program(command, stdin=b"", timeout=10, folder=tmp_path)

    assert message in str(refused.value)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(EvaluatorError, match=r"the folder .* does not exist"):
        run_program(["cat"], stdin=b"", timeout=10, folder=tmp_path / "gone")


def test_a_script_that_is_not_there_ends_like_python(tmp_path: Path) -> None:
    finished = run_program([sys.executable, "gone.py"], stdin=b"", timeout=10, folder=tmp_path)

    assert finished.exit_code == 2
    assert "can't open file" in finished.stderr


def test_a_program_may_work_in_a_folder_that_it_only_reads(either: Run, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "words.txt").write_text("hello")

    finished = either(
        """
        import os, tempfile
        print(open("words.txt").read(), os.path.basename(os.getcwd()))
        assert os.environ["HOME"] == tempfile.gettempdir() != os.getcwd()
        """,
        works_in=tmp_path / "work",
    )

    assert finished.stdout == b"hello work\n", finished.stderr


def test_a_folder_to_work_in_that_is_not_there_is_said(evaluator: Run, tmp_path: Path) -> None:
    with pytest.raises(EvaluatorError, match=r"the folder .*gone' does not exist"):
        evaluator("print(1)", works_in=tmp_path / "gone")


def test_what_is_compiled_is_not_run_in_place_of_its_source(evaluator: Run, tmp_path: Path) -> None:
    _plant(tmp_path)

    assert evaluator("import helper; print(helper.value)").stdout == b"what is written\n"


def test_an_interpreter_of_its_own_runs_no_compiled_file_either(tmp_path: Path) -> None:
    _plant(tmp_path)
    (tmp_path / "evaluator.py").write_text("import helper; print(helper.value)")
    # with an option it is started as a program, as the interpreter of an environment is
    command = [sys.executable, "-B", str(tmp_path / "evaluator.py")]
    finished = run_program(command, stdin=b"", timeout=10, folder=tmp_path)

    assert finished.stdout == b"what is written\n"


def _plant(folder: Path) -> None:
    """Compile another text than that of the source, and have nobody compare the two."""
    source = folder / "helper.py"
    source.write_text("value = 'something else'")
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), invalidation_mode=unchecked, doraise=True)
    source.write_text("value = 'what is written'")
