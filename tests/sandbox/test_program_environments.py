import fcntl
import json
import os
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentevals.custom_evaluators import (
    CustomEvaluatorRunner,
    SubprocessBackend,
    create_executor,
    register_executor,
)
from agentevals.files.atomic_files import find_user_cache
from agentevals.model.conversations import Turn
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox import program_environments
from agentevals.sandbox.package_installers import Installer, hash_content
from tests.test_custom_evaluators import Elsewhere

EVALUATOR = """
from agentevals_evaluator_sdk import evaluator, EvalInput, EvalResult
import tiny

@evaluator
def judge(input: EvalInput) -> EvalResult:
    return EvalResult(score=tiny.SCORE, details={"prefix": __import__("sys").prefix})

if __name__ == "__main__":
    judge.run()
"""


def wheel(folder, name="tiny", code="SCORE = 0.75\n"):
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", code)
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")  # nobody is there
    monkeypatch.delenv("AGENTEVALS_OFFLINE", raising=False)
    program_environments._failures.clear()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "judge"
    wheel(folder / "wheels")
    (folder / "judge.py").write_text(EVALUATOR)
    (folder / "requirements.txt").write_text("--no-index\n--find-links wheels\ntiny==1.0\n")
    return folder


def judge(folder):
    backend = SubprocessBackend(folder / "judge.py")
    return CustomEvaluatorRunner(backend, "judge").evaluate([Turn(response="x")])


def test_requirements_are_installed_for_their_evaluator_alone(folder, tmp_path):
    grade = judge(folder)

    assert grade.score == 0.75
    assert grade.details["prefix"].startswith(str(tmp_path / "cache"))


@pytest.mark.parametrize("given", [{}, {"uv": None}], ids=["uv", "pip"])
def test_with_uv_and_without(folder, given):
    environment = program_environments.prepare(folder / "requirements.txt", Installer(**given))

    said = subprocess.run(
        [environment.python, "-c", "import agentevals_evaluator_sdk, tiny; print(tiny.SCORE)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.stdout == "0.75\n", said.stderr


def test_an_environment_is_built_once_per_content(folder, tmp_path, caplog):
    requirements = folder / "requirements.txt"
    caplog.set_level("INFO")
    first = program_environments.prepare(requirements)
    again = program_environments.prepare(requirements)
    requirements.write_text(requirements.read_text() + "# a comment\n")
    commented = program_environments.prepare(requirements)

    assert first == again == commented
    assert caplog.text.count(f"installing the packages of {requirements}") == 1


def test_other_requirements_are_another_environment(tmp_path):
    keys = set()
    for number, text in enumerate(["six", "six==1.17.0", "-r more.txt", "./six", "./six"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "more.txt").write_text("six")
        (folder / "requirements.txt").write_text(text)
        keys.add(program_environments._compute_key(folder / "requirements.txt"))

    assert len(keys) == 5


@pytest.mark.parametrize(
    "text", [".", ".[all]", "tiny.whl", "tiny.zip[x]", "tiny @ file:tiny", "${A}"]
)
def test_what_may_be_a_path_is_another_environment_in_another_folder(tmp_path, text):
    keys = set()
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "requirements.txt").write_text(text)
        keys.add(program_environments._compute_key(tmp_path / name / "requirements.txt"))

    assert len(keys) == 2


@pytest.mark.parametrize(
    "text", ["six", "a_b.c[x,y] >=1, !=1.5 ; python_version < '4'", "six==1.*"]
)
def test_what_an_index_has_is_shared_by_every_folder(tmp_path, text):
    keys = set()
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "requirements.txt").write_text(text)
        keys.add(program_environments._compute_key(tmp_path / name / "requirements.txt"))

    assert len(keys) == 1


def test_other_code_in_the_same_folder_is_another_environment(folder):
    before = program_environments._compute_key(folder / "requirements.txt")
    wheel(folder / "wheels", code="SCORE = 0\n")
    hash_content.cache_clear()  # as in the next run

    assert program_environments._compute_key(folder / "requirements.txt") != before


BACKEND = """
import os, pathlib, sys

base = pathlib.Path(sys.prefix)
for place in (base.parent, base.parent.parent, *base.glob("lib/python3*/site-packages")):
    for name in ("complete", "lent", "agentevals.pth"):
        try:
            (place / name).unlink(missing_ok=True)
            (place / name).symlink_to("VICTIM")
        except OSError:
            pass
raise SystemExit("no wheel today")
"""


def test_code_of_a_package_cannot_have_us_write_elsewhere_nor_call_itself_installed(tmp_path):
    folder = tmp_path / "judge"
    (folder / "bad").mkdir(parents=True)
    (tmp_path / "victim").write_text("precious")
    backend = BACKEND.replace("VICTIM", str(tmp_path / "victim"))
    (folder / "bad" / "backend.py").write_text(backend)
    (folder / "bad" / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    (folder / "requirements.txt").write_text(f"--no-index\n{folder}/bad\n")

    for _ in range(2):
        with pytest.raises(EvaluatorError, match="no wheel today"):
            program_environments.prepare(folder / "requirements.txt", Installer(uv=None))
        program_environments._failures.clear()

    assert (tmp_path / "victim").read_text() == "precious"


def test_what_is_included_counts_too(tmp_path):
    (tmp_path / "requirements.txt").write_text("-r more.txt\n-r requirements.txt\n")
    (tmp_path / "more.txt").write_text("six")
    before = program_environments._compute_key(tmp_path / "requirements.txt")
    (tmp_path / "more.txt").write_text("tiny")

    assert program_environments._compute_key(tmp_path / "requirements.txt") != before


def test_the_sdk_works_in_every_environment_or_it_is_not_whole(folder):
    wheel(folder / "wheels", "typing_extensions", "ours = True\n")
    requirements = folder / "requirements.txt"
    requirements.write_text(requirements.read_text() + "typing_extensions\n")

    # a stranger of that name, and no pydantic that could do with it
    with pytest.raises(EvaluatorError, match="its packages could not be installed"):
        program_environments.prepare(requirements)


def test_a_failure_tells_the_last_words_of_the_installer_and_is_not_repeated(folder, caplog):
    requirements = folder / "requirements.txt"
    requirements.write_text("--no-index\nno-such-package-xyz\n")
    caplog.set_level("INFO")

    for _ in range(2):
        with pytest.raises(EvaluatorError) as failed:
            judge(folder)
        assert str(failed.value).startswith(f"evaluator 'judge': {requirements}: its packages")
        assert "no-such-package-xyz" in str(failed.value)
    assert caplog.text.count("installing the packages of") == 1


def test_what_failed_is_built_anew_in_the_next_run(folder):
    requirements = folder / "requirements.txt"
    (folder / "wheels" / "tiny-1.0-py3-none-any.whl").rename(folder / "away")
    with pytest.raises(EvaluatorError):
        program_environments.prepare(requirements)

    (folder / "away").rename(folder / "wheels" / "tiny-1.0-py3-none-any.whl")
    program_environments._failures.clear()

    assert program_environments.prepare(requirements).python.exists()


def test_the_time_limit(folder, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_INSTALL_TIMEOUT", "0.01")

    with pytest.raises(EvaluatorError, match="could not be installed: "):
        program_environments.prepare(folder / "requirements.txt")


@pytest.mark.parametrize("seconds", ["abc", "0", "-1", "inf", "nan"])
def test_a_time_limit_is_a_number_of_seconds(monkeypatch, seconds):
    monkeypatch.setenv("AGENTEVALS_INSTALL_TIMEOUT", seconds)

    with pytest.raises(InputError, match=r"AGENTEVALS_INSTALL_TIMEOUT: .* unset it for 600"):
        Installer()


def test_offline_says_that_it_is(folder, monkeypatch):
    monkeypatch.setenv("AGENTEVALS_OFFLINE", "1")
    (folder / "requirements.txt").write_text("no-such-package-xyz\n")

    with pytest.raises(EvaluatorError, match="could not be installed; this run is offline: "):
        program_environments.prepare(folder / "requirements.txt")


def test_threads_and_processes_build_it_once(folder):
    requirements = str(folder / "requirements.txt")
    code = (
        "import logging, sys; from pathlib import Path;"
        "from agentevals.sandbox import program_environments as environments;"
        "logging.basicConfig(level='INFO');"
        "print(environments.prepare(Path(sys.argv[1])).python)"
    )

    def build(_):
        return subprocess.run(
            [sys.executable, "-c", code, requirements],
            capture_output=True,
            text=True,
            check=True,
            env=dict(os.environ),
        )

    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(build, range(3)))

    assert len({run.stdout for run in done}) == 1
    assert sum(run.stderr.count("installing the packages of") for run in done) == 1


def test_a_builder_that_does_not_end_is_not_waited_for_forever(folder, tmp_path):
    requirements = folder / "requirements.txt"
    lock = (
        find_user_cache()
        / "environments"
        / f"{program_environments._compute_key(requirements)}.lock"
    )
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(EvaluatorError, match="another process has been installing"):
            program_environments.prepare(requirements, Installer(timeout=0.01))


def test_an_executor_applies_to_an_evaluator_with_requirements_too(folder):
    register_executor("elsewhere-2", Elsewhere)
    backend = create_executor("elsewhere-2", folder / "judge.py")

    grade = CustomEvaluatorRunner(backend, "judge").evaluate([Turn(response="x")])

    assert json.loads(json.dumps(grade.details))["turns"] == 1
