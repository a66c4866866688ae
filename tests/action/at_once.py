"""Several steps at the same time: real processes, which share one time.

`python -m tests.action.at_once PORT STEPS` forks them. Each asks the test what the time is and to
be woken, so that nobody waits in earnest and nothing depends on how fast a machine is.
"""

import json
import os
import signal
import socket
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentevals.action import main as front
from agentevals.github.api_retries import Clock
from tests import forked
from tests.github.clocks import VirtualTime

ROOT = Path(__file__).parents[2]
NOW = b"now\n"


def run(jobs):
    """All of them from beginning to end. What each left behind, in their order."""
    for job in jobs:
        job.cleared()
    steps = [{"environ": job.environ, "log": str(job.folder / "log")} for job in jobs]
    with _timekeeper(len(jobs)) as port:
        words = [str(port), json.dumps(steps)]
        done = forked.run("tests.action.at_once", words, cwd=ROOT, env={"LANG": "C.UTF-8"})
    assert done.returncode == 0, done.stderr
    codes = json.loads(done.stdout)
    logs = [Path(step["log"]).read_text(encoding="utf-8") for step in steps]
    return [job.outcome(code, log) for job, code, log in zip(jobs, codes, logs, strict=True)]


@contextmanager
def _timekeeper(people) -> Iterator[int]:
    """Time for that many processes; it passes when all that still run wait."""
    time = VirtualTime(people)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            for asked in self.rfile:
                if asked != NOW:
                    time.clock.sleep(float(asked))
                self.wfile.write(f"{time.clock.now()}\n".encode())
            time.leave()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def main(port, steps):
    """Begin all steps, and print the exit code of each."""
    pids = [_begin(port, **step) for step in steps]
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]))


def _begin(port, environ, log):
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.alarm(60)
        with Path(log).open("wb", buffering=0) as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.environ.clear()
        os.environ.update(environ)
        code = _run(port)
    finally:
        sys.stdout.flush()
        os._exit(code)


def _run(port):
    with (
        socket.create_connection(("127.0.0.1", port)) as connected,
        connected.makefile("rw") as kept,
    ):

        def ask(words):
            kept.write(words)
            kept.flush()
            return float(kept.readline())

        clock = Clock(now=lambda: ask(NOW.decode()), sleep=lambda seconds: ask(f"{seconds}\n"))
        return front.run(dict(os.environ), sys.stdout, clock)


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]))
