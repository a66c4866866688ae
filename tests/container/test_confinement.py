"""What an evaluator can reach inside the image: nothing that is worth anything.

The same program is run twice: as an evaluator, and as an ordinary process of the container. What
the second reaches shows that the first was kept from it.
"""

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.attacks import table
from tests.attacks.ways import WAYS
from tests.container.runner import Runner, hand_over

TOKEN = "a-token-that-nobody-may-read"
REACH = """\
import contextlib, glob, json, os, pathlib, socket, sys

TOKEN = b"a-token-that-nobody-may-read"
PORT = int(pathlib.Path(__file__).with_name("port").read_text())


def read(*patterns):
    for path in (path for pattern in patterns for path in glob.glob(pattern)):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            yield file.read()


def write(path):
    with contextlib.suppress(OSError), open(path, "a") as file:
        return file.write("reached") > 0


def answered(family, kind, address):
    with contextlib.suppress(OSError), socket.socket(family, kind) as caller:
        caller.settimeout(5)
        caller.connect(address)
        caller.send(b"GET /version HTTP/1.0\\r\\n\\r\\n")
        return caller.recv(1) != b""


reached = {
    "token in its own environment": TOKEN in str(dict(os.environ)).encode(),
    "token of another process": any(TOKEN in text for text in read("/proc/[0-9]*/environ")),
    "memory map of another process": any(read("/proc/1/maps")),
    "event": any(read("/github/workflow/event.json")),
    "outputs of the step": write("/github/file_commands/set_output"),
    "environment of later steps": write("/github/file_commands/set_env"),
    "path of later steps": write("/github/file_commands/add_path"),
    "home of later steps": write("/github/home/left"),
    "temporary files of the job": write("/github/runner_temp/left"),
    "file of the checkout": any(read("/github/workspace/eval_set.json")),
    "a new file in the checkout": write("/github/workspace/left"),
    "a new file beside it": write("/github/workspace/evaluators/left"),
    "Docker": answered(socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/docker.sock"),
    "TCP": answered(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
    "UDP": answered(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)),
}
names = [name for name, was in reached.items() if was]
print(json.dumps({"score": 0.0 if names else 1.0, "details": {"reached": names}}))
"""
# executed instead of forked: the walls must outlive an exec
STARTED_BY_NODE = """\
const { spawnSync } = require("node:child_process");
const { join } = require("node:path");
const found = spawnSync("/usr/local/bin/python3", [join(__dirname, "reach.py")]);
console.log(found.stdout.toString());
"""
WORTH = {
    "token in its own environment",
    "token of another process",
    "memory map of another process",
    "event",
    "outputs of the step",
    "environment of later steps",
    "path of later steps",
    "home of later steps",
    "temporary files of the job",
    "file of the checkout",
    "a new file in the checkout",
    "a new file beside it",
    "Docker",
    "TCP",
    "UDP",
}


@pytest.fixture
def exposed(runner: Runner) -> Iterator[Runner]:
    """A step with everything that a job may hold, on the network of a machine that listens."""
    with _listening() as port:
        for name, text in {"reach.py": REACH, "reach.js": STARTED_BY_NODE, "port": port}.items():
            (runner.workspace / "evaluators" / name).write_text(str(text))
        hand_over(runner.workspace)
        holds = {"INPUT_GITHUB-TOKEN": TOKEN, "OPENAI_API_KEY": TOKEN}
        yield Runner(runner.engine, runner.image, runner.workspace, runner.temp, holds)


def test_without_walls_everything_is_reached(exposed: Runner):
    step = exposed.program(
        "python3", "/github/workspace/evaluators/reach.py", options=("--network", "host")
    )

    assert set(json.loads(step.log)["details"]["reached"]) >= WORTH


@pytest.mark.parametrize("name", ["reach.py", "reach.js"])
def test_an_evaluator_reaches_nothing(exposed: Runner, name):
    result = _as_evaluator(exposed, name)

    assert (result["details"]["reached"], result["error"]) == ([], "")
    assert not (exposed.workspace / "left").exists()


@pytest.mark.parametrize(
    ("user", "isolation"), [("0", "strict (own user"), ("65533", "strict (landlock")]
)
def test_every_attack_is_refused_or_contained_in_the_image(
    runner: Runner, user: str, isolation: str
):
    made = _attack(runner, "--user", user)

    assert (made["reached"], made["damage"]) == ([], [])
    assert made["isolation"].startswith(isolation)


def test_so_it_is_on_every_way_that_code_is_run_in_the_image(runner: Runner):
    made = _attack(runner, program="tests.attacks --ways")

    assert made == {way: {"reached": [], "damage": []} for way in WAYS}


def _attack(runner: Runner, *options: str, program: str = "tests.attacks") -> dict:
    tree = runner.workspace / "attacked"
    attacks = tree / "tests/attacks"
    shutil.copytree(Path(table.__file__).parent, attacks, ignore=shutil.ignore_patterns("__py*"))
    shutil.copytree(runner.workspace / "traces", tree / "examples/traces")
    (attacks.parent / "__init__.py").touch()
    hand_over(runner.workspace)

    step = runner.program(
        *("sh", "-c", f"cd attacked && PYTHONPATH=. python3 -m {program}"),
        options=("--network", "host", *options),
    )

    assert step.exit_code == 0, step.log
    made: dict = json.loads(step.log[step.log.index("{") :])
    return made


def test_every_promise_about_the_walls_is_kept(runner: Runner):
    step = runner.program("agentevals", "sandbox", "check", options=("--network", "host"))

    assert step.exit_code == 0, step.log
    assert "BROKEN" not in step.log
    absent = [line for line in step.log.splitlines() if line.startswith("not available here")]
    # a container's control groups are read-only
    assert [line.split("  ", 1)[1] for line in absent] == [
        "the kernel itself limits that memory, at every moment"
    ]


def _as_evaluator(runner: Runner, name: str) -> dict:
    entry = f"{{name: reach, type: code, path: ./evaluators/{name}, subprocess: true}}"
    config = f"evaluators:\n  - {entry}\n"
    (runner.workspace / "reach.yaml").write_text(config)
    step = runner.program(
        *("agentevals", "run", "traces/paris.jsonl", "-c", "reach.yaml"),
        *("--isolation", "strict", "--output-file", "report=/github/runner_temp/report.json"),
        options=("--network", "host"),
    )
    path = runner.temp / "_runner_temp/report.json"
    assert path.exists(), step.log

    return json.loads(path.read_text())["cases"][0]["results"][0]


@contextmanager
def _listening() -> Iterator[int]:
    """One port that answers over TCP and UDP."""
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = tcp.getsockname()[1]
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", port))
        threads = [
            threading.Thread(target=_answer_calls, args=(tcp,)),
            threading.Thread(target=_answer_datagrams, args=(udp,)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield port
        finally:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_INET, kind) as last:
                    last.connect(("127.0.0.1", port))
                    last.send(b"end")
            for thread in threads:
                thread.join()


def _answer_calls(tcp: socket.socket) -> None:
    asked = b""
    while asked != b"end":
        call, _ = tcp.accept()
        with call:
            asked = call.recv(100)
            call.send(b"here")


def _answer_datagrams(udp: socket.socket) -> None:
    asked = b""
    while asked != b"end":
        asked, caller = udp.recvfrom(100)
        udp.sendto(b"here", caller)
