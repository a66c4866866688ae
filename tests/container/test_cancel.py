"""A step that GitHub cancels: the first process of its container ends in order, and in time."""

import io
import shutil
import signal
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from subprocess import Popen, TimeoutExpired

import pytest

from agentevals.report import untrusted_report
from tests.container.engine import Engine, wait_until
from tests.container.runner import Runner, hand_over
from tests.container.test_pull_request import EVENT, REPOSITORY, propose
from tests.processes import STUCK, cancel
from tests.servers import Reply, Seen, reply, serve
from tests.stand_in.judge import Judge
from tests.stand_in.server import StandIn, running
from tests.support import EXAMPLES

pytestmark = pytest.mark.alone
NAME = "agentevals-cancelled"
CANCELLED = "Cannot tell whether to merge: the evaluation was cancelled"


@pytest.fixture
def github(judge: Judge | None) -> Iterator[StandIn]:
    with running() as stand_in:
        propose(stand_in)
        yield stand_in
    assert not judge or judge.complaints(stand_in.exchanges) == []


@pytest.fixture
def runner(engine: Engine, image: str, github: StandIn, tmp_path: Path) -> Runner:
    """A machine with the pull request checked out."""
    workspace = tmp_path / "workspace"
    shutil.copytree(EXAMPLES, workspace, ignore=shutil.ignore_patterns("__pycache__"))
    env = {
        **github.environ,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_REF": f"refs/pull/{EVENT['number']}/merge",
        "INPUT_GITHUB-TOKEN": github.token,
    }
    return Runner(engine, image, workspace, tmp_path / "runner", env)


def bring(runner: Runner, evaluator: str, text: str) -> None:
    """Add an evaluator to the pull request."""
    (runner.workspace / f"evaluators/{evaluator}.py").write_text(text)
    with (runner.workspace / "eval_config.yaml").open("a") as config:
        path = f"./evaluators/{evaluator}.py"
        config.write(f"  - {{name: {evaluator}, type: code, path: {path}, timeout: 300}}\n")
    hand_over(runner.workspace)


@contextmanager
def stepping(runner: Runner, **inputs: str) -> Iterator["Popen[str]"]:
    """A step that runs in a container of that name."""
    given = {"config": "eval_config.yaml", "traces": "traces/*", "status": "on", **inputs}
    options = ("--network", "host", "--name", NAME)
    with runner.started(
        inputs=given, event=EVENT, event_name="pull_request", options=options
    ) as step:
        try:
            yield step
        finally:
            runner.engine.run("rm", "--force", NAME, check=False)


@pytest.fixture
def started(engine: Engine, runner: Runner) -> Iterator["Popen[str]"]:
    """A step whose evaluator never answers, once that runs."""
    bring(runner, "slow", STUCK)
    with stepping(runner) as process:
        wait_until(lambda: "sleep 600" in engine.run("top", NAME, check=False).stdout)
        yield process


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


def test_an_installation_of_requirements_is_ended(runner: Runner, github: StandIn, engine: Engine):
    asked = threading.Event()

    def index(_: Seen) -> Reply:
        asked.set()
        return reply(stall=True)

    bring(runner, "slowly", SLOWLY)
    (runner.workspace / "evaluators/requirements.txt").write_text("a-package\n")
    with serve(index) as server:
        variables = {"UV_DEFAULT_INDEX": f"{server.url}/simple", "PIP_INDEX_URL": server.url}
        with stepping(replace(runner, env={**runner.env, **variables})) as process:
            assert asked.wait(60)
            assert cancel(process) == 130
            log, _ = process.communicate()

    assert standing(github) == [], log
    assert _inspect(engine) == ""


TIMES = 10
SECONDS = 12.0  # in which a step with all of this is over, on a slow machine too
# what takes a while in a step: each answer of GitHub, an evaluator, a long recording
SLOW_ANSWER = 0.15
SLOWLY = """\
import json, sys, time
sys.stdin.read()
time.sleep(1.5)
print(json.dumps({"score": 1.0}))
"""
SPANS = 15_000


@pytest.fixture
def busy(runner: Runner, github: StandIn) -> Runner:
    """A step that reads much, asks a slow GitHub, unpacks the base, and waits for an evaluator."""
    bring(runner, "slowly", SLOWLY)
    (line, *_) = (EXAMPLES / "traces/paris.jsonl").read_text().splitlines()
    (runner.workspace / "traces/long.jsonl").write_text(f"{line}\n" * SPANS)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(EXAMPLES, "agent-base")
    place = github.world.repository(REPOSITORY)
    base, head = (EVENT["pull_request"][end]["sha"] for end in ("base", "head"))
    place.tarballs[base], place.merge_bases[f"{base}...{head}"] = packed.getvalue(), base
    github.slow = SLOW_ANSWER
    return runner


def standing(github: StandIn) -> list[str]:
    """What comments, check runs and the status say that is not about an end."""
    place = github.world.repository(REPOSITORY)
    comments = [c.body for c in place.comments_on(EVENT["number"]) if "is running" in c.body]
    checks = [str(check) for check in place.checks.values() if not check["conclusion"]]
    return comments + checks + [str(s) for s in place.statuses[-1:] if s["state"] == "pending"]


@pytest.mark.parametrize("_", range(TIMES))
def test_a_step_that_is_cancelled_at_any_moment_leaves_nothing_running(
    engine: Engine, busy: Runner, github: StandIn, _: int
):
    moment = SystemRandom().uniform(0, SECONDS)
    with stepping(busy) as process:
        wait_until(lambda: "true" in _inspect(engine) or process.poll() is not None)
        with suppress(TimeoutExpired):
            process.wait(moment)
        left = engine.run("top", NAME, check=False).stdout
        code = cancel(process)
        log = process.communicate()[0]
        told = f"cancelled after {moment:.2f} s: {code}\n{left}\n{log}"

        assert code in {0, 1, 130}, told
        assert standing(github) == [], told
        assert "Traceback" not in log, told
        assert "of ours" not in log, told
        assert _inspect(engine) == "", told
    report = busy.workspace / "agentevals-report/report.json"
    if report.exists():
        assert untrusted_report.read(report).state.value == (
            "cancelled" if code == 130 else "done"
        ), told


def _inspect(engine: Engine) -> str:
    """Whether the container runs; nothing once it is gone."""
    return engine.run("inspect", "--format", "{{.State.Running}}", NAME, check=False).stdout.strip()


def test_the_next_step_closes_what_one_has_left_that_was_killed(
    engine: Engine, started: "Popen[str]", runner: Runner, github: StandIn
):
    engine.run("kill", NAME)
    started.communicate()
    assert len(standing(github)) == 3

    (runner.workspace / "evaluators/slow.py").write_text(SLOWLY)
    wait_until(lambda: _inspect(engine) == "")
    again = replace(runner, env={**runner.env, "GITHUB_RUN_ATTEMPT": "2"})
    with stepping(again) as process:
        log, _ = process.communicate()

    assert standing(github) == [], log
    assert "1 earlier run ended without a result; closed what was still running" in log
