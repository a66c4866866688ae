"""Several steps at the same time: real processes, which share one time.

`python -m tests.action.at_once PORT` is one of them. It asks the test what the time is and to be
woken, so that nobody waits in earnest and nothing depends on how fast a machine is.
"""

import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentevals.action import main as front
from agentevals.github.retries import Clock
from tests.github.clocks import VirtualTime

ROOT = Path(__file__).parents[2]
NOW = b"now\n"


def run(jobs, processes=None):
    """All of them from beginning to end. What each left behind, in their order.

    `processes` is a list for those who want to do something to them meanwhile.
    """
    processes = [] if processes is None else processes
    with _timekeeper(len(jobs)) as port:
        processes += [_started(job, port) for job in jobs]
        try:
            logs = [process.communicate(timeout=60)[0] for process in processes]
        finally:
            for process in processes:
                process.kill()
    return [
        job.outcome(process.returncode, log)
        for job, process, log in zip(jobs, processes, logs, strict=True)
    ]


def _started(job, port):
    job.cleared()
    return subprocess.Popen(
        [sys.executable, "-m", "tests.action.at_once", str(port)],
        cwd=ROOT,
        env=job.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


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


def main(port):
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
    sys.exit(main(int(sys.argv[1])))
