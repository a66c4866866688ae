"""What a pull request gets to see, and what an evaluator that it brings does not."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.action.job import git
from tests.container.engine import Engine
from tests.container.runner import Runner, Step, hand_over
from tests.container.test_action import INPUTS, REPORTS
from tests.container.test_confinement import REACH
from tests.stand_in.documents import changed_file
from tests.stand_in.judge import Judge
from tests.stand_in.server import StandIn, running
from tests.stand_in.world import Comment
from tests.support import DATA, EXAMPLES

EVENT = json.loads((DATA / "events/pull_request.json").read_text())
REPOSITORY = EVENT["repository"]["full_name"]


class Pushed(NamedTuple):
    """A step for each of two pushes to a pull request, and the GitHub that they met."""

    steps: tuple[Step, Step]
    workspace: Path
    stand_in: StandIn

    @property
    def comments(self) -> list[Comment]:
        return self.stand_in.world.repository(REPOSITORY).comments_on(EVENT["number"])

    @property
    def reports(self) -> dict[str, str]:
        files = (path for path in (self.workspace / REPORTS).rglob("*") if path.is_file())
        return {path.name: path.read_text(encoding="utf-8") for path in files}


@pytest.fixture(scope="module")
def pushed(
    engine: Engine, image: str, judge: Judge | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pushed]:
    workspace = tmp_path_factory.mktemp("pull") / "workspace"
    shutil.copytree(EXAMPLES, workspace, ignore=shutil.ignore_patterns("__pycache__"))
    (workspace / "evaluators/reach.py").write_text(REACH)
    (workspace / "evaluators/port").write_text("9")
    with (workspace / "eval_config.yaml").open("a") as config:
        config.write("  - {name: reach, type: code, path: ./evaluators/reach.py}\n")
    event = commit(workspace)
    hand_over(workspace)
    with running() as stand_in:
        propose(stand_in, event)
        env = {
            **stand_in.environ,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REF": f"refs/pull/{EVENT['number']}/merge",
            "INPUT_GITHUB-TOKEN": stand_in.token,
            "INPUT_ISOLATION": "strict",
        }
        runner = Runner(engine, image, workspace, workspace.with_name("runner"), env)
        steps = (_step(runner, event), _step(runner, event))
        yield Pushed(steps, workspace, stand_in)
        assert not judge or judge.complaints(stand_in.exchanges) == []


def commit(workspace: Path) -> dict[str, Any]:
    """The event about a commit of the workspace: only what it holds can be linked."""
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "All")):
        git(workspace, *words)
    head = git(workspace, "rev-parse", "HEAD")
    event: dict[str, Any] = json.loads(
        json.dumps(EVENT).replace(EVENT["pull_request"]["head"]["sha"], head)
    )
    return event


def propose(stand_in: StandIn, event: dict[str, Any] | None = None) -> None:
    """The pull request of the event, as the API knows it."""
    pull = (event or EVENT)["pull_request"]
    stand_in.world.pull(
        EVENT["number"],
        REPOSITORY,
        head_sha=pull["head"]["sha"],
        base_sha=pull["base"]["sha"],
        head_repository=REPOSITORY,
        files=[changed_file(stand_in.url, "traces/phoenix.jsonl", "added")],
    )


def _step(runner: Runner, event: dict[str, Any]) -> Step:
    return runner.run(
        inputs=INPUTS, event=event, event_name="pull_request", options=("--network", "host")
    )


def test_the_gate_fails(pushed: Pushed):
    assert [step.exit_code for step in pushed.steps] == [1, 1], pushed.steps[0].log
    assert [step.outputs["verdict"] for step in pushed.steps] == ["failed", "failed"]


def test_there_is_one_comment_for_both_pushes(pushed: Pushed):
    (comment,) = pushed.comments

    assert "phoenix" in comment.body
    assert {step.outputs["comment-url"] for step in pushed.steps} != {""}


def test_the_failing_case_is_annotated(pushed: Pushed):
    checks = pushed.stand_in.world.repository(REPOSITORY).checks.values()
    places = [each["path"] for check in checks for each in check["annotations"]]

    assert "traces/phoenix.jsonl" in places


def test_the_token_is_seen_nowhere(pushed: Pushed):
    logs = [line for step in pushed.steps for line in step.log.splitlines()]
    told = [line for line in logs if not line.startswith("::add-mask::")]
    written = [text for step in pushed.steps for text in step.written.values()]
    shown = [comment.body for comment in pushed.comments]
    texts = [*told, *written, *shown, *pushed.reports.values()]

    assert [text for text in texts if pushed.stand_in.token in text] == []


def test_an_evaluator_that_it_brings_reaches_nothing(pushed: Pushed):
    report = json.loads(pushed.reports["report.json"])
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
