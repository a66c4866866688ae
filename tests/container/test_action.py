"""The action itself, started as the runner starts it: what a step reads, says and leaves behind."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.container.runner import RUNNER, Runner, hand_over
from tests.support import DATA

INPUTS = {
    "traces": "traces/*.jsonl",
    "config": "eval_config.yaml",
    "eval-set": "eval_set.json",
    "command": "evaluate",
    "fail-on": "failed",
}
REPORTS = "agentevals-report"
PUSH = json.loads((DATA / "events/push.json").read_text())
only_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give a checkout to somebody else"
)


@pytest.fixture
def offline(runner: Runner) -> Runner:
    """A run after a push, that needs nobody: no comment, no check, no network."""
    return replace(
        runner,
        env={"INPUT_COMMENT": "off", "INPUT_CHECK": "off", "INPUT_BASELINE": "none"},
    )


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--network", "none"], id="without a network"),
        pytest.param(
            ["--network", "none", "--read-only", "--tmpfs", "/tmp"], id="with a read-only root"
        ),
    ],
)
def test_a_step_tells_what_came_out(offline: Runner, options):
    step = offline.run(event=PUSH, inputs=INPUTS, options=options)

    assert step.exit_code == 1, step.log
    assert step.outputs["verdict"] == "failed"
    assert step.outputs["failed"] == "1"
    assert json.loads(step.outputs["json"])
    assert "phoenix" in step.summary


def test_a_step_passes_when_everything_does(offline: Runner):
    traces = [f"traces/{name}.jsonl" for name in ("paris", "phoenix", "umbrella")]
    inputs = {**INPUTS, "traces": ",".join(traces), "eval-set": "", "config": "only.yaml"}
    (offline.workspace / "only.yaml").write_text(
        "evaluators:\n  - {name: geocode, type: code, path: ./evaluators/geocode_first.js}\n"
    )
    step = offline.run(event=PUSH, inputs=inputs)

    assert step.exit_code == 0, step.log
    assert step.outputs["verdict"] == "passed"


def test_a_mistake_in_an_input_is_a_sentence(offline: Runner):
    step = offline.run(event=PUSH, inputs={**INPUTS, "command": "evalute"})

    assert step.exit_code == 2, step.log
    assert "evaluate" in step.log
    assert "Traceback" not in step.log


def test_later_steps_are_left_alone(offline: Runner):
    step = offline.run(event=PUSH, inputs=INPUTS)

    assert (step.written["GITHUB_ENV"], step.written["GITHUB_PATH"]) == ("", "")


@only_root
def test_what_is_written_belongs_to_the_owner_of_the_checkout(offline: Runner):
    offline.run(event=PUSH, inputs=INPUTS)
    found = list(offline.workspace.rglob("*"))

    assert (offline.workspace / REPORTS / "report.json").exists()
    assert [path for path in found if path.lstat().st_uid != RUNNER] == []


def test_no_file_of_the_checkout_is_imported(offline: Runner):
    names = ("agentevals", "json", "msgspec", "pydantic", "requests", "sitecustomize", "yaml")
    for name in names:
        (offline.workspace / f"{name}.py").write_text("open('imported', 'a').write(__name__)\n")
    hand_over(offline.workspace)
    paths = {"PYTHONPATH": "/github/workspace", "PYTHONSAFEPATH": ""}
    step = replace(offline, env={**offline.env, **paths}).run(event=PUSH, inputs=INPUTS)

    assert step.outputs["verdict"] == "failed", step.log
    assert not (offline.workspace / "imported").exists()


@only_root
def test_git_is_asked_about_a_checkout_that_belongs_to_somebody_else(offline: Runner):
    commit = _committed(offline.workspace)
    ask = (
        "from pathlib import Path; from agentevals.action import checkout_commits as commits; "
        "print(commits.find_head(Path.cwd()))"
    )
    ours = offline.program("python3", "-I", "-c", ask)
    plain = offline.program("git", "rev-parse", "HEAD")

    assert ours.log.strip() == commit
    assert "dubious ownership" in plain.log


def _committed(folder: Path) -> str:
    who = ("-c", "user.name=Mona", "-c", "user.email=mona@example.com")
    inside = {**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory"}
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "All"), ()):
        done = subprocess.run(
            ["git", *(words or ("rev-parse", "HEAD"))],
            cwd=folder,
            env={**inside, "GIT_CONFIG_VALUE_0": "*"},
            capture_output=True,
            text=True,
            check=True,
        )
    hand_over(folder)
    return done.stdout.strip()
