"""A step that GitHub cancels: the first process of its container ends in order, and in time."""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen

import pytest

from tests.container.engine import Engine, wait_until
from tests.container.runner import Runner, hand_over
from tests.container.test_pull_request import EVENT, REPOSITORY, propose
from tests.processes import STUCK
from tests.stand_in.judge import Judge
from tests.stand_in.server import StandIn, running
from tests.support import EXAMPLES

NAME = "agentevals-cancelled"
CANCELLED = "Cannot tell whether to merge: the evaluation was cancelled"


@pytest.fixture
def github(judge: Judge | None) -> Iterator[StandIn]:
    with running() as stand_in:
        propose(stand_in)
        yield stand_in
    assert not judge or judge.complaints(stand_in.exchanges) == []


@pytest.fixture
def started(engine: Engine, image: str, github: StandIn, tmp_path: Path) -> Iterator["Popen[str]"]:
    """A step whose evaluator never answers, once that runs."""
    workspace = tmp_path / "workspace"
    shutil.copytree(EXAMPLES, workspace, ignore=shutil.ignore_patterns("__pycache__"))
    (workspace / "evaluators/slow.py").write_text(STUCK)
    with (workspace / "eval_config.yaml").open("a") as config:
        config.write("  - {name: slow, type: code, path: ./evaluators/slow.py, timeout: 300}\n")
    hand_over(workspace)
    env = {
        **github.environ,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_REF": f"refs/pull/{EVENT['number']}/merge",
        "INPUT_GITHUB-TOKEN": github.token,
    }
    step = Runner(engine, image, workspace, tmp_path / "runner", env).started(
        inputs={"config": "eval_config.yaml", "traces": "traces/*", "status": "on"},
        event=EVENT,
        event_name="pull_request",
        options=("--network", "host", "--name", NAME),
    )
    with step as process:
        try:
            wait_until(lambda: "sleep 600" in engine.run("top", NAME, check=False).stdout)
            yield process
        finally:
            engine.run("rm", "--force", NAME, check=False)


def interrupt(process: "Popen[str]", _: Engine) -> None:
    """As GitHub's runner begins: its client passes the signal on."""
    process.send_signal(signal.SIGINT)


def stop(_: "Popen[str]", engine: Engine) -> None:
    """SIGTERM, and SIGKILL ten seconds later."""
    engine.run("stop", NAME)


@pytest.mark.parametrize(("end", "code"), [(interrupt, 130), (stop, 143)])
def test_a_cancelled_step_closes_what_it_has_begun(
    engine: Engine,
    started: "Popen[str]",
    github: StandIn,
    end: Callable[["Popen[str]", Engine], None],
    code: int,
):
    end(started, engine)
    log, _ = started.communicate(timeout=10)
    place = github.world.repository(REPOSITORY)

    assert started.returncode == code, log
    assert "Traceback" not in log
    assert [CANCELLED in comment.body for comment in place.comments_on(EVENT["number"])] == [True]
    assert [check["conclusion"] for check in place.checks.values()] == ["cancelled"]
    assert [status["state"] for status in place.statuses] == ["pending", "error"]
