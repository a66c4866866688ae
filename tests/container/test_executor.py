"""`executor: docker`: evaluators in containers of a real engine, also from inside of the action."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.custom_evaluators import Permissions, create_executor
from agentevals.model.errors import EvaluatorError, UnavailableError
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.program_starts import Question
from tests.container import base_image
from tests.container.asking import Ask, list_containers
from tests.container.engine import Engine, wait_until
from tests.container.runner import Runner, hand_over


def test_it_is_asked_and_the_report_names_the_image_by_its_digest(ask: Ask, engine: Engine):
    answer = ask("import json, sys; print(json.dumps({'score': len(sys.stdin.read())}))", b"x")

    known = engine.run("image", "inspect", base_image.NAME).stdout
    digest = answer.isolation.rpartition("@")[2].rstrip(")")
    assert json.loads(answer.stdout) == {"score": 1}
    assert answer.isolation == f"strict (container of {base_image.NAME}@{digest})"
    assert digest.startswith("sha256:")
    assert digest in known


LINES = """
import json, os, sys, time
for number, line in enumerate(sys.stdin):
    if number == 2: time.sleep(60)
    told = {"batch": os.environ["AGENTEVALS_BATCH"], "pid": os.getpid()}
    print(json.dumps({"id": json.loads(line)["id"], **told}), flush=True)
"""


def test_a_batch_is_one_process(ask: Ask, tmp_path: Path):
    """`ask` removes the container."""
    program = tmp_path / "lines" / "evaluator.py"
    program.parent.mkdir()
    program.write_text(LINES)
    backend = create_executor("docker", program, 1)
    questions = [Question(b'{"number":%d}' % number) for number in range(3)]

    first, second, third = backend.exchange_batch(
        questions, "judge", Permissions(image=base_image.NAME)
    )

    assert json.loads(first.stdout) == json.loads(second.stdout)
    assert json.loads(first.stdout)["batch"] == "1"
    told = "was ended after it had answered 2 of the 3 cases of its batch, not this one"
    assert str(third) == f"evaluator 'judge' took longer than 3 s and {told}"


HOSTILE = """
    import ctypes, json, os, pathlib, socket, sys
    done = []
    def attempt(what, do):
        try: do(); done.append(what)
        except (OSError, KeyError): pass
    def write(path): (pathlib.Path(path) / "left").write_text("x")
    here = pathlib.Path(__file__).parent
    for place in ("/", "/etc", "/tmp", "/usr", "/var/tmp", "/dev/shm", "/agentevals", here):
        attempt(f"wrote to {place}", lambda: write(place))
    attempt("changed itself", lambda: open(__file__, "a"))
    attempt("token", lambda: os.environ["DEPLOY_TOKEN"])
    attempt("closed file", lambda: open(here / ".env"))
    attempt("file of the host", lambda: os.stat("{victim}"))
    attempt("engine", lambda: os.stat("/var/run/docker.sock"))
    attempt("supervisor's memory", lambda: open("/proc/1/mem"))
    attempt("supervisor's answers", lambda: open("/proc/1/fd/1", "w"))
    attempt("became root", lambda: os.setuid(0))
    if ctypes.CDLL(None).unshare(0x10000000) == 0: done.append("namespace")
    for where in (("127.0.0.1", 22), ("10.0.0.1", 80), ("192.0.2.1", 80)):
        attempt(f"connected to {where}", lambda: socket.create_connection(where, 1))
    if [name for name in os.listdir("/sys/class/net") if name != "lo"]: done.append("network")
    status = pathlib.Path("/proc/self/status").read_text()
    for line in ("CapEff:\\t0000000000000000", "CapBnd:\\t0000000000000000", "NoNewPrivs:\\t1"):
        if line not in status: done.append(f"not {line}")
    if os.getuid() == 0: done.append("is root")
    print(json.dumps(done))
"""


def test_nothing_is_reached_from_a_container(ask: Ask, tmp_path: Path):
    (tmp_path / "evaluator/.env").write_text("TOKEN=x")
    text = HOSTILE.replace("{victim}", str(tmp_path))

    assert json.loads(ask(text).stdout) == []


PERSISTENT = """
    import ctypes, glob, json, os, pathlib, signal, sys, time
    libc = ctypes.CDLL("librt.so.1")
    for make in (libc.shmget, libc.semget):
        make(7, 1, 0o1600)
    libc.msgget(7, 0o1600)
    libc.mq_open(b"/left", os.O_CREAT, 0o600, None)
    kept = [name for name in ("shm", "msg", "sem")
        if len(open(f"/proc/sysvipc/{name}").readlines()) > 1]
    before = [os.listdir("/scratch"), len([p for p in os.listdir("/proc") if p.isdigit()])]
    before.append(kept + os.listdir("/dev/mqueue"))
    (pathlib.Path.home() / "left").write_text("x")
    pathlib.Path("/scratch/left").write_text("x")
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    print(json.dumps(before))
"""


def test_a_case_finds_nothing_of_the_one_before_it(ask: Ask, engine: Engine):
    first = json.loads(ask(PERSISTENT).stdout)
    started = list_containers(engine)
    second = json.loads(ask(PERSISTENT).stdout)

    assert list_containers(engine) == started
    assert second[1:] == first[1:]
    assert second[2] == []
    assert [name for name in second[0] if name == "left"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import time; time.sleep(60)", "took longer than 1 s and was ended"),
        ("while True: print('x' * 65536)", "printed more than 16 MiB"),
        ("x = bytearray(1 << 30); x[::4096] = b'x' * len(x[::4096])", "exited with code -9"),
        ("raise SystemExit('no')", "exited with code 1: no"),
        ("pass", "printed nothing on stdout"),
    ],
)
def test_what_goes_wrong_is_said(ask: Ask, text: str, said: str):
    timeout = 1 if "sleep" in text else 30
    with pytest.raises(EvaluatorError, match=f"evaluator 'judge' {said}"):
        ask(text, timeout=timeout, memory_mb=128)

    assert ask("print('next')", memory_mb=128).stdout == b"next\n"


def test_a_message_of_any_size_is_read_and_a_result_comes_back(ask: Ask):
    answer = ask("import sys; print(len(sys.stdin.read()) * 'x')", b"m" * 10_000_000)

    assert answer.stdout == b"x" * 10_000_000 + b"\n"


def test_a_program_with_a_first_line_runs_too(ask: Ask, tmp_path: Path):
    (tmp_path / "evaluator/judge").touch(mode=0o755)

    assert ask("#!/bin/sh\ncat /dev/stdin\n", b"yes", name="judge").stdout == b"yes"


def test_node_runs_in_an_image_of_its_own(ask: Ask, node_image: str):
    text = (
        "const fs = require('node:fs');"
        "fs.writeFileSync(process.env.HOME + '/x', 'x');"
        "console.log(fs.readFileSync(0, 'utf8').toUpperCase(), fs.readdirSync('/scratch').length)"
    )

    first, second = (ask(text, b"yes", name="judge.js", image=node_image).stdout for _ in range(2))

    assert first == second == b"YES 4\n"


def test_errors_of_the_image_and_of_rights_are_sentences(ask: Ask, tmp_path: Path):
    with pytest.raises(UnavailableError, match="this run is offline, and the engine has no image"):
        ask("", image="no-such-image:1")
    with pytest.raises(EvaluatorError, match="the image has no 'node'; set 'image' to one that"):
        ask("", name="judge.js")
    with pytest.raises(EvaluatorError, match="gives single hosts and never the whole network"):
        ask("", rights=Rights(network=True))


def test_a_granted_variable_is_passed_on(ask: Ask):
    rights = Rights(env={"DEPLOY_TOKEN": "granted"})

    assert ask("import os; print(os.environ['DEPLOY_TOKEN'])", rights=rights).stdout == b"granted\n"


def test_a_run_that_is_killed_leaves_no_container(ask: Ask, engine: Engine, tmp_path: Path):
    (tmp_path / "evaluator/judge.py").write_text("import time; time.sleep(60)")
    text = """if True:
        import sys
        from pathlib import Path
        from agentevals.custom_evaluators import Permissions, create_executor
        backend = create_executor("docker", Path(sys.argv[1]), 60)
        backend.exchange(b"{}", "judge", Permissions(image=sys.argv[2]))
    """
    judge = tmp_path / "evaluator/judge.py"
    words = [sys.executable, "-c", text, str(judge), base_image.NAME]
    with subprocess.Popen(words) as run:
        wait_until(lambda: list_containers(engine, "--filter", "status=running") != [])
        os.kill(run.pid, signal.SIGKILL)

    wait_until(lambda: list_containers(engine) == [])
    assert run.returncode == -signal.SIGKILL  # nothing of ours could have removed it


def test_it_works_from_inside_of_the_action(runner: Runner):
    (runner.workspace / "own").mkdir()
    (runner.workspace / "own/judge.py").write_text(
        "import json, sys\n"
        "from agentevals_evaluator_sdk import EvalInput\n"
        "asked = EvalInput.model_validate_json(sys.stdin.read())\n"
        "print(json.dumps({'score': 1.0, 'details': {'asked': asked.metric_name}}))\n"
    )
    entry = "{name: judge, type: code, path: ./own/judge.py, executor: docker}"
    (runner.workspace / "own.yaml").write_text(f"evaluators:\n  - {entry}\n")
    hand_over(runner.workspace)

    step = runner.program(
        *("agentevals", "run", "traces/paris.jsonl", "-c", "own.yaml", "--isolation", "strict"),
        *("--output-file", "report=/github/runner_temp/report.json"),
    )

    assert step.exit_code == 0, step.log
    report = json.loads((runner.temp / "_runner_temp/report.json").read_text())
    result = report["cases"][0]["results"][0]
    assert (result["score"], result["details"]) == (1.0, {"asked": "judge"})
    assert result["isolation"].startswith(f"strict (container of {base_image.NAME}@sha256:")
