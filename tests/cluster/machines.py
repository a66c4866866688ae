"""A scheduler with its workers and a bucket, all real and on loopback."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import distributed

from tests.servers import find_port

ACCESS = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1"}
_PATIENCE = 60  # seconds, on a machine that does much else


@dataclass
class Machines:
    """Where the scheduler and the storage are, and the processes of the workers."""

    scheduler: str
    storage: str
    workers: dict[str, subprocess.Popen[bytes]]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **ACCESS, "AWS_ENDPOINT_URL": self.storage}

    def kill_one_at_work(self) -> str:
        """Kill a worker that has a task when others are done; return its name."""
        with distributed.Client(self.scheduler, set_as_default=False) as client:
            while True:
                busy = [name for name, tasks in client.processing().items() if tasks]
                if busy and any(client.has_what().values()):
                    self.workers[client.scheduler_info()["workers"][busy[0]]["id"]].kill()
                    return busy[0]
                time.sleep(0.005)


@contextmanager
def start(workers: int, folder: Path) -> Iterator[Machines]:
    """Start everything; end it at the end of the block."""
    scheduler, storage = (find_port() for _ in range(2))
    address = f"tcp://127.0.0.1:{scheduler}"
    with ExitStack() as stack:
        served = [*("-m", "moto.server", "-H", "127.0.0.1"), "-p", str(storage)]
        stack.enter_context(run(served, folder / "storage.log"))
        command = ["-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--no-show"]
        where = ["--host", "127.0.0.1", "--port", str(scheduler)]
        stack.enter_context(run([*command, *where], folder / "scheduler.log"))
        machines = Machines(address, f"http://127.0.0.1:{storage}", {})
        for number in range(workers):
            name, log = f"w{number}", folder / f"w{number}.log"
            words = ["-m", "distributed.cli.dask_worker", address, "--name", name, "--no-nanny"]
            words += ["--nthreads", "1", "--no-dashboard", "--local-directory", str(folder)]
            started = stack.enter_context(run(words, log, machines.environment))
            machines.workers[name] = started
        for port in (scheduler, storage):
            wait_for_port(port)
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=_PATIENCE)
        yield machines


@contextmanager
def run(
    words: list[str], log: Path, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *words], stdout=file, stderr=file, env=environment
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def wait_for_port(port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        with socket.socket() as tried:
            if not tried.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    raise TimeoutError(port)


def open_bucket(storage: str) -> Any:
    """Return a system of files in which the bucket `traces` is."""
    import s3fs

    system = s3fs.S3FileSystem(key="k", secret="s", endpoint_url=storage)
    if not system.exists("traces"):
        system.mkdir("traces")
    return system
