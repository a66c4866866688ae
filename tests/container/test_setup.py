"""The command, installed from a real package index: in a workflow, and by uv and pipx."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests import github_shell
from tests.container.conftest import ROOT
from tests.container.engine import Engine
from tests.container.test_workflow import run_act
from tests.support import EXAMPLES

PAGE = (ROOT / "docs/install.md").read_text(encoding="utf-8")
UV = Path(sys.executable).with_name("uv")
SENDER = "import sys; print('the agent runs on', sys.prefix)"
WORKFLOW = """\
name: record
on: push
permissions: {}
jobs:
  record:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v6
      - uses: octo-org/agentevals-action/setup@v1
      - run: |
          agentevals bless traces/*.jsonl -o blessed.json
          agentevals run traces --eval-set blessed.json
          python3 -c 'import agentevals' || echo "the job's Python is as it was"
"""


@dataclass
class Job:
    """A job on a hosted machine, whose checkout and variables get in the way of an installer."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("temp", "checkout", "elsewhere"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "path").touch()
        for name in ("pip", "venv", "typing", "hatchling"):
            text = f"raise SystemExit('{name} of the checkout was imported')"
            (self.checkout / f"{name}.py").write_text(text, encoding="utf-8")

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    @property
    def added(self) -> list[str]:
        """What later steps have on their PATH before everything else."""
        return (self.folder / "path").read_text(encoding="utf-8").splitlines()

    def set_up(self, action: Path) -> subprocess.CompletedProcess[str]:
        manifest = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
        [(shell, step)] = github_shell.scripts({"jobs": {"setup": manifest["runs"]}})
        elsewhere = str(self.folder / "elsewhere")
        variables = {
            "GITHUB_ACTION_PATH": str(action),
            "GITHUB_PATH": str(self.folder / "path"),
            "PIP_TARGET": elsewhere,
            "PIP_USER": "1",
            "PYTHONPATH": str(self.checkout),
            "RUNNER_TEMP": str(self.folder / "temp"),
        }
        return self._run(github_shell.command(shell, step["run"], self.folder), variables)

    def later(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A step after it."""
        path = os.pathsep.join([*reversed(self.added), os.environ["PATH"]])
        return self._run(["/usr/bin/env", *words], {"PATH": path})

    def _run(
        self, command: list[str], variables: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.checkout,
            env=os.environ | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture(scope="module")
def job(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job in which the step has run twice: in a job of its own, and in a composite of others."""
    found = Job(tmp_path_factory.mktemp("job"))
    for _ in range(2):
        done = found.set_up(repository / "setup")
        assert done.returncode == 0, done.stdout
    return found


def test_later_steps_have_the_command(job: Job):
    done = job.later("agentevals", "--version")

    assert (done.returncode, done.stdout) == (0, "agentevals 0.1.0\n")


def test_later_steps_have_nothing_else_of_it(job: Job):
    recorded = job.later("agentevals", "record", "--", "python3", "-Ic", SENDER)

    assert {path.name for folder in job.added for path in Path(folder).iterdir()} == {"agentevals"}
    assert "the agent runs on" in recorded.stdout
    assert f"the agent runs on {job.folder}" not in recorded.stdout
    assert list((job.folder / "elsewhere").iterdir()) == []


def test_it_installs_the_versions_of_the_lock_and_no_others(job: Job, repository: Path):
    python = next((job.folder / "temp").glob("agentevals/environment/bin/python"))
    freeze = [python, "-Im", "pip", "freeze", "--exclude", "agentevals-action"]
    done = subprocess.run(freeze, capture_output=True, text=True, check=True)
    lock = (repository / "requirements-runtime.lock").read_text(encoding="utf-8")
    locked = {line.split(" ")[0].lower() for line in lock.splitlines() if "==" in line}

    assert len(done.stdout.splitlines()) > 10
    assert {line.lower().replace("_", "-") for line in done.stdout.splitlines()} <= locked


def test_it_leaves_the_checkout_of_the_action_as_it_was(job: Job, repository: Path):
    assert job.added
    done = subprocess.run(
        ["git", "status", "--porcelain"], cwd=repository, capture_output=True, check=True
    )
    assert done.stdout == b""


def test_what_ci_does_on_other_systems_works_here(job: Job, repository: Path):
    workflow = yaml.safe_load((repository / ".github/workflows/ci.yml").read_text("utf-8"))
    [step] = [step for step in workflow["jobs"]["setup"]["steps"] if "run" in step]
    shutil.copytree(repository / "examples", job.checkout / "examples")

    done = job.later("bash", "-eo", "pipefail", "-c", step["run"])

    assert done.returncode == 0, done.stdout
    assert "PASS  1 case passed" in done.stdout


@pytest.mark.parametrize("lock", ["requirements-runtime.lock", "requirements-build.lock"])
def test_a_package_with_another_hash_is_not_installed(repository: Path, tmp_path: Path, lock: str):
    copy = tmp_path / "agentevals-action"
    shutil.copytree(repository, copy, ignore=shutil.ignore_patterns(".git", "tests"))
    other = re.sub(r"sha256:\w+", f"sha256:{'0' * 64}", (copy / lock).read_text(encoding="utf-8"))
    (copy / lock).write_text(other, encoding="utf-8")
    job = Job(tmp_path / "job")
    done = job.set_up(copy / "setup")

    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("::error title=agentevals::the locked packages")
    assert job.added == []


def test_a_job_of_a_workflow_gets_the_command(
    engine: Engine, workspace: Path, repository: Path, tmp_path: Path
):
    done = run_act(
        engine,
        workspace,
        tmp_path,
        WORKFLOW,
        "push",
        *("--local-repository", f"octo-org/agentevals-action@v1={repository}"),
    )

    assert done.returncode == 0, done.stdout
    assert "PASS  4 cases passed" in done.stdout
    assert "the job's Python is as it was" in done.stdout


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> dict[str, str]:
    """Variables of somebody who has uv, pipx and git, and nothing of ours."""
    folder = tmp_path_factory.mktemp("laptop")
    folders = {
        "UV_TOOL_DIR": folder / "tools",
        "UV_TOOL_BIN_DIR": folder / "bin",
        "PIPX_HOME": folder / "pipx",
        "PIPX_BIN_DIR": folder / "pipx-bin",
    }
    environ = {
        **os.environ,
        **{name: str(path) for name, path in folders.items()},
        "PATH": os.pathsep.join([str(folder / "bin"), str(UV.parent), os.environ["PATH"]]),
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/OWNER/agentevals-action",
    }
    subprocess.run([UV, "tool", "install", "--quiet", "pipx"], env=environ, check=True)
    return environ


@pytest.mark.parametrize(
    ("tool", "folder"), [("uv tool", "UV_TOOL_BIN_DIR"), ("pipx", "PIPX_BIN_DIR")]
)
def test_one_line_of_the_page_gives_the_command(
    laptop: dict[str, str], tmp_path: Path, tool: str, folder: str
):
    [line] = re.findall(rf"`?({tool} install git\+[^\s`]+)", PAGE)
    traces = EXAMPLES / "traces"
    for command in (
        line,
        f'"${folder}/agentevals" bless {traces}/*.jsonl -o eval_set.json',
        f'"${folder}/agentevals" run {traces} --eval-set eval_set.json',
    ):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env=laptop,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)

    assert done.stdout.startswith("PASS  4 cases passed")
