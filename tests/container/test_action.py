"""The action itself, started as the runner starts it: what a step reads, says and leaves behind."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.container.runner import RUNNER, Runner, hand_over
from tests.stand_in.server import StandIn
from tests.support import DATA

INPUTS = {
    "traces": "traces/*.jsonl",
    "config": "eval_config.yaml",
    "eval-set": "eval_set.json",
    "command": "evaluate",
    "fail-on": "failed",
}
REPORTS = "agentevals-report"
HOST = ("--network", "host")
EVENT = json.loads((DATA / "events/pull_request.json").read_text())
PUSH = json.loads((DATA / "events/push.json").read_text())
# as GitHub lists it: the change adds a recording
CHANGED = {"filename": "traces/phoenix.jsonl", "status": "added", "sha": "3" * 40}
only_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give a checkout to somebody else"
)


@pytest.fixture
def on_a_pull_request(runner: Runner, stand_in: StandIn) -> Runner:
    """A checkout of a pull request's head, and a GitHub that knows it."""
    pull = EVENT["pull_request"]
    name = EVENT["repository"]["full_name"]
    stand_in.world.pull(
        EVENT["number"],
        name,
        head_sha=pull["head"]["sha"],
        base_sha=pull["base"]["sha"],
        head_repository=name,
        files=[CHANGED],
    )
    known = {
        **stand_in.environ,
        "GITHUB_REPOSITORY": name,
        "GITHUB_REF": f"refs/pull/{EVENT['number']}/merge",
        "INPUT_GITHUB-TOKEN": stand_in.token,
    }
    return replace(runner, env=known)


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
    ask = "from pathlib import Path; from agentevals.action import git; print(git.head(Path.cwd()))"
    ours = offline.program("python3", "-I", "-c", ask)
    plain = offline.program("git", "rev-parse", "HEAD")

    assert ours.log.strip() == commit
    assert "dubious ownership" in plain.log


def test_a_pull_request_is_commented_on(on_a_pull_request: Runner, stand_in: StandIn):
    step = on_a_pull_request.run(
        inputs=INPUTS, event=EVENT, event_name="pull_request", options=HOST
    )
    comments = stand_in.world.repository("weather/agent").comments_on(EVENT["number"])

    assert step.exit_code == 1, step.log
    assert len(comments) == 1
    assert "phoenix" in comments[0].body
    assert step.outputs["comment-url"]


def test_a_second_run_updates_the_comment(on_a_pull_request: Runner, stand_in: StandIn):
    for _ in range(2):
        on_a_pull_request.run(inputs=INPUTS, event=EVENT, event_name="pull_request", options=HOST)
    comments = stand_in.world.repository("weather/agent").comments_on(EVENT["number"])

    assert len(comments) == 1


def test_the_token_is_seen_nowhere(on_a_pull_request: Runner, stand_in: StandIn):
    step = on_a_pull_request.run(
        inputs=INPUTS, event=EVENT, event_name="pull_request", options=HOST
    )
    told = [line for line in step.log.splitlines() if not line.startswith("::add-mask::")]
    reports = (on_a_pull_request.workspace / REPORTS).rglob("*")
    texts = [
        *told,
        *step.written.values(),
        *(path.read_text() for path in reports if path.is_file()),
    ]

    assert [text for text in texts if stand_in.token in text] == []


def test_an_evaluator_of_the_checkout_reaches_nothing(on_a_pull_request: Runner):
    from tests.container.test_confinement import REACH

    (on_a_pull_request.workspace / "evaluators/reach.py").write_text(REACH)
    (on_a_pull_request.workspace / "evaluators/port").write_text("9")
    config = "evaluators:\n  - {name: reach, type: code, path: ./evaluators/reach.py}\n"
    (on_a_pull_request.workspace / "reach.yaml").write_text(config)
    hand_over(on_a_pull_request.workspace)
    on_a_pull_request.run(
        inputs={**INPUTS, "config": "reach.yaml", "eval-set": "", "isolation": "strict"},
        event=EVENT,
        event_name="pull_request",
        options=HOST,
    )
    report = json.loads((on_a_pull_request.workspace / REPORTS / "report.json").read_text())
    reached = [result["details"]["reached"] for result in _results(report)]

    assert len(reached) >= 4
    assert not any(reached)


def _results(node: Any) -> Iterator[dict[str, Any]]:
    """Every result of that evaluator, however deep the report keeps it."""
    if isinstance(node, dict):
        if isinstance(node.get("details"), dict) and "reached" in node["details"]:
            yield node
        else:
            for value in node.values():
                yield from _results(value)
    elif isinstance(node, list):
        for value in node:
            yield from _results(value)


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
