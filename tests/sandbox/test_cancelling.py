"""The command line, cancelled: it ends at once, in order, and with all that it has started."""

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
SLOW = {"name": "slow", "type": "code", "path": "./slow.py", "timeout": 300}
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


def evaluating(folder, temporary, *evaluators, heeds="SIG_DFL", **keys):
    """`agentevals run` with these evaluators."""
    (folder / "slow.py").write_text(STUCK)
    config = {"evaluators": list(evaluators), **keys}
    (folder / "eval_config.yaml").write_text(yaml.safe_dump(config))
    traces = str(EXAMPLES / "traces" / "phoenix.jsonl")
    words = ("run", traces, "-c", "eval_config.yaml")
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
    assert shown == ("", f"agentevals: cancelled by {signal.Signals(number).name}\n")
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
    assert shown == ("", f"agentevals: cancelled by {signal.Signals(number).name}\n")


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
