"""The command line, cancelled: it ends at once, in order, and with all that it has started."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
import yaml

from tests.processes import PATIENCE, STUCK, alive, ending_with_us, stuck
from tests.registry_tools import registries
from tests.servers import reply, serve
from tests.support import EXAMPLES

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
SLOW = {"name": "slow", "type": "code", "path": "./slow.py", "timeout": 300, "subprocess": True}
ALL_BUT_PARIS = f"""\
import sys
if "paris" not in sys.stdin.read().lower():
    sys.exit(print('{{"score": 1.0}}'))
{STUCK}"""
# starts it, as a shell does, with a signal on or off
SHELL = """\
import os, signal, sys
signal.signal(signal.SIGINT, signal.{})
os.execv(sys.executable, [sys.executable, "-m", "agentevals", *sys.argv[1:]])
"""
STUBBORN = """\
import os, signal, time
from agentevals.sandbox import cancelling
cancelling.heed()
try:
    os.kill(os.getpid(), signal.SIGTERM)
except BaseException:
    time.sleep(60)
"""
CONVERTED = """\
import os, signal
from agentevals.sandbox import cancelling
cancelling.heed()
try:
    with cancelling.insist():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except BaseException as error:
            raise ValueError("a schema is wrong") from error
except cancelling.Cancelled as cancelled:
    cancelling.leave(cancelled.exit_code)
"""
HELD = """\
import os, signal
from agentevals.sandbox import cancelling
cancelling.heed()
try:
    with cancelling.hold():
        os.kill(os.getpid(), signal.SIGTERM)
        print("done wholly")
    print("and not a step more")
except cancelling.Cancelled as cancelled:
    cancelling.leave(cancelled.exit_code)
"""
LOST = """\
import os, signal, subprocess, sys
from agentevals.sandbox import cancelling
cancelling.heed()
try:
    print(subprocess.Popen(["sleep", "600"]).pid)
    os.kill(os.getpid(), signal.SIGTERM)
except cancelling.Cancelled as cancelled:
    cancelling.leave(cancelled.exit_code)
"""
FINISHED = """\
import atexit, os, signal
from agentevals.sandbox import cancelling
cancelling.heed()
atexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))
cancelling.end_at_once()
"""


@pytest.fixture
def temporary():
    """Where the command line keeps what it needs; evaluators of another user reach it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def evaluating(folder, temporary, *evaluators, heeds="SIG_DFL", options=(), **keys):
    """`agentevals run` with these evaluators."""
    (folder / "slow.py").write_text(STUCK)
    config = {"evaluators": list(evaluators), **keys}
    (folder / "eval_config.yaml").write_text(yaml.safe_dump(config))
    traces = str(EXAMPLES / "traces" / "phoenix.jsonl")
    words = ("run", traces, "-c", "eval_config.yaml", *options)
    return started(folder, temporary, *words, heeds=heeds)


def started(folder, temporary, *words, heeds="SIG_DFL"):
    """The command line in a terminal of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", SHELL.format(heeds), *words],
        cwd=folder,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


@pytest.mark.parametrize(("number", "code"), SIGNALS)
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["the process", "its whole group"])
def test_it_ends_with_what_it_has_started(tmp_path, temporary, number, code, send):
    with ending_with_us(evaluating(tmp_path, temporary, SLOW)) as process:
        running = stuck(process)
        send(process.pid, number)
        shown = process.communicate(timeout=PATIENCE)

        assert alive(running) == []
    assert process.returncode == code
    assert_said(shown, number)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_judge_that_does_not_answer_keeps_nobody(tmp_path, temporary, number, code):
    asked = threading.Event()

    def judge(seen):
        asked.set()
        return reply(stall=True)

    with serve(judge) as server:
        settings = {"model": "judge-1", "base_url": f"{server.url}/v1", "cache": False}
        judged = {"name": "safety_v1", "type": "builtin"}
        with ending_with_us(evaluating(tmp_path, temporary, judged, judge=settings)) as process:
            assert asked.wait(PATIENCE)
            process.send_signal(number)
            shown = process.communicate(timeout=PATIENCE)

    assert process.returncode == code
    assert_said(shown, number)


def assert_said(shown, number):
    told, errors = shown
    assert told.startswith("CANCELLED  after 0 of 1 case · ")
    assert errors == f"agentevals: cancelled by {signal.Signals(number).name}\n"


def test_what_is_known_by_then_is_printed_and_written_and_passes_nowhere(tmp_path, temporary):
    words = ("-o", "json", "--output-file", "junit.xml", "--jobs", "1")
    traces = [str(EXAMPLES / "traces" / f"{name}.jsonl") for name in ("phoenix", "paris")]
    (tmp_path / "slow.py").write_text(ALL_BUT_PARIS)
    config = {"evaluators": [SLOW]}
    (tmp_path / "eval_config.yaml").write_text(yaml.safe_dump(config))
    command = ("run", *traces, "-c", "eval_config.yaml", *words)
    with ending_with_us(started(tmp_path, temporary, *command)) as process:
        stuck(process)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=PATIENCE)

    run = json.loads(told)
    assert (process.returncode, run["verdict"], run["exit_code"]) == (130, "fail", 130)
    assert run["partial"] == {"done": 1, "of": 2}
    assert [trace["verdict"] for trace in run["traces"]] == ["pass"]
    assert "the run was cancelled after 1 of 2 cases" in (tmp_path / "junit.xml").read_text()


def test_a_run_that_was_cancelled_is_no_baseline(tmp_path, temporary):
    report = tmp_path / "report.json"
    with ending_with_us(
        evaluating(tmp_path, temporary, SLOW, options=("--output-file", f"report={report}"))
    ) as process:
        stuck(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    words = ("run", "t.json", "-m", "tool_trajectory_avg_score", "--baseline", str(report))
    with ending_with_us(started(tmp_path, temporary, *words)) as process:
        _, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == 2
    assert "that run was cancelled; give the report of a complete run" in errors


def test_no_evaluator_of_a_registry_is_tried_after_that(tmp_path, temporary):
    for number in range((os.cpu_count() or 1) + 1):
        registries.write(tmp_path, f"slow_{number}", {f"slow_{number}.py": STUCK})
    with ending_with_us(started(tmp_path, temporary, "registry", "validate")) as process:
        running = stuck(process)
        process.send_signal(signal.SIGTERM)
        shown = process.communicate(timeout=PATIENCE)

        assert alive(running) == []
    assert process.returncode == 143
    assert shown == ("", "agentevals: cancelled by SIGTERM\n")
    assert list(temporary.iterdir()) == []


def test_a_shell_that_has_it_ignore_ctrl_c_is_obeyed(tmp_path, temporary):
    with ending_with_us(evaluating(tmp_path, temporary, SLOW, heeds="SIG_IGN")) as process:
        stuck(process)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)

    assert process.returncode == 143


def test_who_swallows_it_is_ended_after_five_seconds_at_the_latest():
    done = subprocess.run([sys.executable, "-c", STUBBORN], timeout=30, check=False)

    assert done.returncode == 143


def test_no_library_makes_a_mistake_of_the_user_out_of_it():
    done = subprocess.run(
        [sys.executable, "-c", CONVERTED], capture_output=True, encoding="utf-8", check=False
    )

    assert (done.returncode, done.stderr) == (143, "")


def test_a_step_that_must_not_be_left_half_done_is_held():
    done = subprocess.run(
        [sys.executable, "-c", HELD], capture_output=True, encoding="utf-8", check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (143, "done wholly\n", "")


def test_a_child_that_nobody_waits_for_is_ended():
    done = subprocess.run(
        [sys.executable, "-c", LOST], stdout=subprocess.PIPE, encoding="utf-8", check=False
    )

    assert done.returncode == 143
    assert alive([int(done.stdout)]) == []


def test_once_all_is_done_a_signal_leaves_no_traceback():
    done = subprocess.run(
        [sys.executable, "-c", FINISHED], capture_output=True, encoding="utf-8", check=False
    )

    assert (done.returncode, done.stderr) == (143, "")
