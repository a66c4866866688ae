"""A run that somebody cancels while it works: nothing may look as if it ran for ever."""

import json
import os
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from html import unescape
from pathlib import Path

import pytest

from agentevals.model.review import State
from agentevals.report import untrusted_report
from tests.action.job import TRAJECTORY, Job, agent, config, transcript
from tests.action.leaks import ALL, find_leaks, give_canaries
from tests.processes import (
    OF_GITHUB,
    PATIENCE,
    STUCK,
    alive,
    cancel,
    children,
    descendants,
    ending_with_us,
    stuck,
)
from tests.servers import reply, serve
from tests.stand_in.faults import Fault

SLOW = {"name": "slow", "type": "code", "path": "./slow.py", "timeout": 300}
CANCELLED = "> **Cannot tell whether to merge: the evaluation was cancelled"
# answers at once, but for two of four cities
IN_PART = """\
import json, os, sys, time
case = sys.stdin.read()
if "paris" in case or "rome" in case:
    try:
        is_parent = os.fork()
    except PermissionError:  # a pull request grants itself nothing
        is_parent = 0
    is_parent or os.execvp("sleep", ["sleep", "600"])
    time.sleep(600)
print(json.dumps({"score": 0.0 if "quito" in case else 1.0}))
"""
# makes a process the first one, to which the kernel gives only the signals that it has asked for
FIRST = ("unshare", "--pid", "--fork", "--mount-proc")
BOTH = [(signal.SIGINT, 0.05), (signal.SIGTERM, 7.5)]


def can_be_first():
    """Whether this machine knows namespaces, and lets us have some."""
    with suppress(OSError):
        return subprocess.run([*FIRST, "true"], capture_output=True, check=False).returncode == 0
    return False


@pytest.fixture
def temporary():
    """Where the step keeps what it needs for itself; evaluators of another user reach it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def evaluating(job, temporary):
    """A pull request with an evaluator that never answers."""
    return proposed(job, temporary)


def proposed(job, temporary):
    files = {"eval_config.yaml": config(TRAJECTORY, SLOW), "slow.py": STUCK}
    job.pull_request(agent(), agent() | files).given(status="on", baseline="none")
    job.environ["TMPDIR"] = str(temporary)
    return job


@contextmanager
def in_flight(*jobs, programs=1):
    """Steps that run, once so many evaluator programs of each are stuck."""
    with ending_with_us(jobs[0].started()) as process:
        if jobs[1:]:
            with in_flight(*jobs[1:]) as others:
                stuck(process)
                yield [process, *others]
        else:
            stuck(process, programs)
            yield [process]


def in_part(job, temporary, at_a_time):
    """The same pull request, of which some cases are judged. One at a time, the second case keeps
    the others waiting; two at a time, the third is judged before the last begins."""
    proposed(job, temporary).given(jobs=str(at_a_time))
    (job.workspace / "slow.py").write_text(IN_PART)
    return job


def outcome(job, process):
    return job.outcome(process.returncode, process.stdout.read())


def shown(job):
    """What comment, check runs and status say in the end."""
    checks = [(check["status"], check["conclusion"]) for check in job.place.checks.values()]
    first = [next(line for line in c.splitlines() if line.startswith("> **")) for c in job.comments]
    return [unescape(line).rstrip(".*") for line in first], checks, job.place.statuses[-1:]


def assert_closed(job):
    comments, checks, statuses = shown(job)
    assert [comment.startswith(CANCELLED) for comment in comments] == [True]
    assert checks == [("completed", "cancelled")]
    assert [status["state"] for status in statuses] == ["error"]
    assert "the evaluation was cancelled" in statuses[0]["description"]


@pytest.mark.parametrize(
    ("signals", "code"),
    [
        pytest.param(OF_GITHUB, 130, id="as GitHub does"),
        pytest.param([(signal.SIGTERM, 7.5)], 143, id="SIGTERM"),
        pytest.param(BOTH, 130, id="a second signal while it is closed"),
    ],
)
def test_what_has_begun_is_closed_and_what_runs_is_ended(evaluating, temporary, signals, code):
    with in_flight(evaluating) as (process,):
        started = descendants(process.pid)
        assert cancel(process, signals) == code
        assert alive(started) == []
        done = outcome(evaluating, process)

    assert_closed(evaluating)
    assert f"cancelled by {signal.Signals(code - 128).name}" in done.log
    assert "Traceback" not in done.log
    assert done.said("error") == done.said("warning") == []
    assert done.outputs["verdict"] == "error"
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("at_a_time", "known"),
    [(1, "after 1 of 4 cases"), (2, "after 2 of 4 cases, 1 failed")],
)
def test_what_is_known_by_then_is_told_everywhere(job, temporary, at_a_time, known):
    with in_flight(in_part(job, temporary, at_a_time), programs=at_a_time) as (process,):
        assert cancel(process) == 130
        done = outcome(job, process)

    said = f"Cannot tell whether to merge: the evaluation was cancelled {known}."
    (check,) = job.place.checks.values()
    assert said in job.comments[0]
    assert said in check["output"]["title"]
    assert said in job.place.statuses[-1]["description"]
    assert said in done.summary
    assert "bug" not in done.log + job.comments[0]


def test_a_partial_report_is_left_and_passes_nowhere(job, temporary):
    with in_flight(in_part(job, temporary, 2), programs=2) as (process,):
        assert cancel(process) == 130
        done = outcome(job, process)

    (section,) = done.report["sections"]
    whole = section["report"]
    told = "the run was cancelled after 2 of 4 cases; run it again for a verdict"
    assert (done.report["state"], done.report["verdict"]) == ("cancelled", "fail")
    assert (done.report["exit_code"], section["exit_code"], whole["exit_code"]) == (130,) * 3
    assert whole["partial"] == {"done": 2, "of": 4}
    assert [case["case_id"] for case in whole["cases"]] == ["oslo", "quito"]
    assert done.outputs["report"] == "agentevals-report"
    assert untrusted_report.read(done.folder / "report.json").state is State.CANCELLED
    assert f'<error message="{told}"' in (done.folder / "junit.xml").read_text()
    assert json.loads((done.folder / "badge.json").read_text())["message"] == "cancelled"


def test_no_secret_is_in_what_is_told_of_a_part(job, temporary):
    give_canaries(in_part(job, temporary, 2))
    told = transcript("oslo", ALL, answer=ALL, user=ALL)
    (job.workspace / "traces/oslo.json").write_text(told)
    with in_flight(job, programs=2) as (process,):
        assert cancel(process) == 130
        done = outcome(job, process)

    assert "***" in done.text
    assert find_leaks(job, done) == {}


@pytest.mark.recorded
def test_configs_that_it_did_not_come_to_are_named(job, temporary):
    files = {f"{name}.eval.yaml": config(TRAJECTORY) for name in "ac"}
    files |= {"b.eval.yaml": config(TRAJECTORY, SLOW), "slow.py": STUCK}
    job.pull_request(agent(), agent() | files).given(config="*.eval.yaml", status="on")
    job.environ["TMPDIR"] = str(temporary)
    with in_flight(job) as (process,):
        assert cancel(process) == 130

    body = unescape(job.comments[0])
    assert "> **Cannot tell whether to merge: 2 of 3 configs were cancelled (" in body
    assert "| `a.eval.yaml` | ✅ all 4 cases passed | 4/4 passed |" in body
    assert "| `b.eval.yaml` | ⛔ the evaluation was cancelled after 0 of 4 cases |" in body
    assert "| `c.eval.yaml` | ⛔ the evaluation was cancelled without a result |" in body


def test_nothing_passes_before_the_rules_of_the_base_have_judged(job, temporary):
    before = {"eval_config.yaml": config(TRAJECTORY, SLOW), "slow.py": STUCK}
    job.pull_request(agent() | before, agent()).given(status="on", baseline="none")
    job.environ["TMPDIR"] = str(temporary)
    with in_flight(job) as (process,):
        assert cancel(process) == 130

    (comment,), checks, statuses = shown(job)
    assert comment.startswith(
        "> **Cannot tell whether to merge: 1 of 2 configs was cancelled (rules"
    )
    assert checks == [("completed", "cancelled")]
    assert statuses[0]["state"] == "error"


@pytest.mark.skipif(not can_be_first(), reason="nobody can be the first process here")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_first_process_of_a_container_is_cancelled_like_any_other(evaluating, number, code):
    with ending_with_us(evaluating.started(*FIRST)) as process:
        started = stuck(process)
        (step,) = children(process.pid)
        os.kill(step, number)
        assert process.wait(7.5) == code
        assert alive(started) == []

    assert_closed(evaluating)


def test_a_judge_that_does_not_answer_keeps_nobody(job):
    asked = threading.Event()

    def judge(seen):
        asked.set()
        return reply(stall=True)

    with serve(judge) as server:
        settings = {"model": "judge-1", "base_url": f"{server.url}/v1", "cache": False}
        judged = {"name": "safety_v1", "type": "builtin"}
        rules = {"eval_config.yaml": config(TRAJECTORY, judged, judge=settings)}
        job.pull_request(agent(), agent() | rules).given(status="on")
        with ending_with_us(job.started()) as process:
            assert asked.wait(PATIENCE)
            assert cancel(process) == 130

    assert_closed(job)


def test_an_installer_is_ended_as_well(evaluating):
    asked = threading.Event()

    def index(seen):
        asked.set()
        return reply(stall=True)

    (evaluating.workspace / "requirements.txt").write_text("a-package\n")
    with serve(index) as server:
        evaluating.environ |= {"UV_DEFAULT_INDEX": f"{server.url}/simple"}
        with ending_with_us(evaluating.started()) as process:
            assert asked.wait(PATIENCE)
            started = descendants(process.pid)
            assert cancel(process) == 130
            assert alive(started) == []

    assert_closed(evaluating)


def test_a_git_that_hangs_is_ended_as_well(evaluating):
    git = evaluating.folder / "bin" / "git"
    git.parent.mkdir()
    git.write_text("#!/bin/sh\nexec sleep 600\n")
    git.chmod(0o755)
    evaluating.environ["PATH"] = f"{git.parent}:{evaluating.environ['PATH']}"
    with ending_with_us(evaluating.started()) as process:
        started = stuck(process)
        assert cancel(process) == 130
        assert alive(started) == []

    assert shown(evaluating) == ([], [], [])


def test_a_github_that_is_slow_is_told_in_time(evaluating):
    with in_flight(evaluating) as (process,):
        evaluating.github.slow = 0.7
        assert cancel(process) == 130

    assert_closed(evaluating)


def test_a_github_that_does_not_answer_does_not_keep_it_from_ending(evaluating):
    with in_flight(evaluating) as (process,):
        started = descendants(process.pid)
        evaluating.github.slow = 20
        assert cancel(process) == 130
        assert alive(started) == []
        done = outcome(evaluating, process)

    warned = {text.partition(":")[0] for text in done.said("warning")}
    assert warned == {"comment", "check", "status"}


def test_it_is_cancelled_before_anything_is_begun(evaluating):
    with ending_with_us(evaluating.started()) as process:
        assert process.stdout.readline().startswith("agentevals ")
        assert cancel(process) == 130
        done = outcome(evaluating, process)

    assert shown(evaluating) == ([], [], [])
    assert done.log == "cancelled by SIGINT\n"


BEGINNINGS = ["/issues/[0-9]+/comments", "/check-runs", "/statuses/"]


@pytest.mark.parametrize("place", BEGINNINGS)
def test_it_is_cancelled_while_github_is_told_that_it_runs(evaluating, place):
    with ending_with_us(evaluating.started()) as process:
        during("POST", place, evaluating, lambda: process.send_signal(signal.SIGINT))
        assert process.wait(PATIENCE) == 130

    comments, checks, statuses = shown(evaluating)
    assert comments == [f"{CANCELLED} without a result"]
    assert checks == [("completed", "cancelled")] * len(checks)
    assert [status["state"] for status in statuses] == ["error"] * len(statuses)
    assert len(checks) + len(statuses) == BEGINNINGS.index(place)


@pytest.mark.parametrize(
    ("method", "place", "skip"),
    [("PATCH", "/comments/", 0), ("PATCH", "/check-runs/", 0), ("POST", "/statuses/", 1)],
)
@pytest.mark.recorded
def test_a_verdict_that_there_is_already_is_said_everywhere(job, method, place, skip):
    job.pull_request(agent(failing=["paris"]), agent()).given(status="on")
    with ending_with_us(job.started()) as process:
        during(method, place, job, lambda: process.send_signal(signal.SIGINT), skip)
        assert process.wait(PATIENCE) == 130

    (comment,), (check,), (status,) = shown(job)
    assert comment.startswith("> **Ready to merge: all 4 cases passed.**")
    assert check == ("completed", "success")
    assert status["state"] == "success"


def during(method, place, job, deed, skip=0):
    """Do something while a request is answered, as if the answer were on its way."""
    job.github.faults.append(Fault(method, place, meanwhile=lambda _: deed(), skip=skip))


def test_the_sections_of_other_jobs_stay_in_the_comment(tmp_path, stand_in, temporary):
    done = Job(tmp_path / "done", stand_in)
    done.pull_request(agent(), agent(failing=["paris"])).given(matrix=json.dumps({"model": "done"}))
    legs = [Job(tmp_path / name, stand_in) for name in ("small", "large")]
    for leg in legs:
        proposed(leg, temporary).given(matrix=json.dumps({"model": leg.folder.name}), check="off")
        leg.head, leg.base = done.head, done.base
        leg.on("pull_request", leg.head, leg.base)
    done.run()
    with in_flight(*legs) as processes:
        stand_in.slow = 0.2  # both read the comment before either writes
        for process in processes:
            process.send_signal(signal.SIGINT)
        assert [process.wait(7.5) for process in processes] == [130, 130]

    (body,) = done.comments
    assert "### ❌ <code>eval_config.yaml done</code>" in body
    assert body.count("the evaluation was cancelled") == len(legs)
    assert "running" not in body
