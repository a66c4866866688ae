"""The cost of the sandbox: what it adds to a process, to a connection and to a case in a container.

Each cost is a difference of two ways to do the same, one right after the other, many times. A busy
machine adds to it, because a sandboxed program takes three processes, and each waits for its turn.
So the best of each way counts among some that follow each other; the median of these differences
says what the sandbox adds.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.container.container_run import Job, remove_all, run_in_container
from agentevals.sandbox.isolation import run_program
from agentevals.sandbox.program_rights import Rights
from tests.container import base_image
from tests.container.engine import an_engine

_ENGINE = Path.home() / ".cache/agentevals-tests/engine"
_ROUNDS, _TRIALS, _WARM = 20, 8, 3
_TRUE = "/bin/true"
# answers one request after the other, from another process, as servers do
_SERVER = """\
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    peer, _ = server.accept()
    with peer:
        peer.recv(65536)
        peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
"""
_CALLER = """\
import http.client, statistics, sys, time
def ask():
    began = time.perf_counter()
    caller = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    caller.request("GET", "/")
    assert caller.getresponse().read() == b"ok"
    caller.close()
    return time.perf_counter() - began
ask()
print(statistics.median(ask() for _ in range(15)))
"""
_PROGRAM = "#!/bin/sh\necho done\n"


class Cost(NamedTuple):
    """Seconds that something takes without the sandbox, and what the sandbox adds."""

    plain: float
    added: float


class Work(NamedTuple):
    """Something that the sandbox makes slower, and the milliseconds that it may add."""

    measure: Callable[[Path], Cost]
    most: float


def _measure_process(folder: Path) -> Cost:
    """A program that does nothing, beside the same without any isolation."""
    return _compare(
        lambda: subprocess.run([_TRUE], check=True, stdin=subprocess.DEVNULL, capture_output=True),
        lambda: run_program([_TRUE], stdin=b"", timeout=10, folder=folder),
    )


def _measure_connection(folder: Path) -> Cost:
    """A request to a granted host, beside the same with the whole network."""
    (folder / "caller.py").write_text(_CALLER)
    with _serve() as port:

        def ask(rights: Rights) -> float:
            command = [sys.executable, "caller.py", str(port)]
            done = run_program(command, stdin=b"", timeout=30, folder=folder, rights=rights)
            assert done.exit_code == 0, done.stderr
            return float(done.stdout)

        granted = Rights(hosts=(Host("127.0.0.1", port),))
        return _settle([(ask(Rights(network=True)), ask(granted)) for _ in range(_ROUNDS)])


def _measure_container(folder: Path) -> Cost:
    """A case in a container that is started already, beside the program alone."""
    program = folder / "program"
    program.write_text(_PROGRAM)
    program.chmod(0o755)
    with _engine():
        job = Job(program=program, image=base_image.NAME)
        try:
            return _compare(
                lambda: subprocess.run([program], check=True, input=b"", capture_output=True),
                lambda: run_in_container(job, b"", timeout=60),
            )
        finally:
            remove_all()


def _compare(plain: Callable[[], object], ours: Callable[[], object]) -> Cost:
    for _ in range(_WARM):
        plain(), ours()
    return _settle([_find_best(plain, ours) for _ in range(_ROUNDS)])


def _find_best(plain: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    trials = [(_time(plain), _time(ours)) for _ in range(_TRIALS)]
    return min(one for one, _ in trials), min(other for _, other in trials)


def _settle(pairs: list[tuple[float, float]]) -> Cost:
    plain = statistics.median(one for one, _ in pairs)
    return Cost(plain, statistics.median(ours - one for one, ours in pairs))


def _time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@contextmanager
def _serve() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE) as server:
        assert server.stdout
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


@contextmanager
def _engine() -> Iterator[None]:
    with an_engine(_ENGINE) as engine:
        if engine.is_ours:
            base_image.provide(engine)
        with mock.patch.dict(os.environ, {"DOCKER_HOST": f"unix://{engine.socket}"}):
            yield


PROCESS = Work(_measure_process, 3)
CONNECTION = Work(_measure_connection, 2)
CONTAINER = Work(_measure_container, 10)
