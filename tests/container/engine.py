"""A Docker Engine: the one that answers already, otherwise one of our own out of Debian packages.

Ours has its data, its socket and its processes in one folder, and touches nothing of the host's
network, so that containers on it have the host's network or none.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.debian import apt

_PACKAGES = ("docker.io", "containerd", "runc", "tini")
_NO_NETWORK = (
    *("--bridge=none", "--iptables=false", "--ip6tables=false"),
    *("--ip-forward=false", "--ip-masq=false", "--userland-proxy=false"),
)
_PATIENCE = 60.0


@dataclass(frozen=True)
class Engine:
    """A client, and the socket of the engine that it talks to."""

    client: str
    socket: Path
    is_ours: bool

    def run(
        self, *words: str, env: dict[str, str] | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """One command of the client; unless `check` is off, it must succeed."""
        done = subprocess.run(
            [self.client, *words],
            env={**self.environment, **(env or {})},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        assert not check or done.returncode == 0, f"docker {' '.join(words)}\n{done.stderr}"
        return done

    @property
    def environment(self) -> dict[str, str]:
        """What the client is started with, and nothing of the person who runs the tests."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {**kept, "DOCKER_HOST": f"unix://{self.socket}", "DOCKER_BUILDKIT": "1"}

    def answers(self) -> bool:
        return Path(self.client).exists() and self.run("version", check=False).returncode == 0


@contextmanager
def an_engine(folder: Path) -> Iterator[Engine]:
    """The engine of this machine, or ours in `folder` for as long as it is needed."""
    found = Engine(shutil.which("docker") or "docker", _usual_socket(), is_ours=False)
    if found.answers():
        yield found
        return
    assert os.geteuid() == 0, "no Docker Engine answers, and only root can start one"
    assert shutil.which("apt-get"), (
        "no Docker Engine answers, and there is no Debian to take one of"
    )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one session at a time
        engine = Engine(str(folder / "root/usr/bin/docker"), folder / "socket", is_ours=True)
        unpack(folder / "root", "usr/sbin/dockerd", _PACKAGES)
        with _running(engine, folder):
            _remove_what_is_left(engine)
            yield engine


def _usual_socket() -> Path:
    return Path(os.environ.get("DOCKER_HOST", "").removeprefix("unix://") or "/var/run/docker.sock")


def unpack(root: Path, wanted: str, names: Sequence[str]) -> None:
    """Have a file of Debian packages, which are only unpacked: nothing is installed."""
    if (root / wanted).exists():
        return
    packages = root.with_name("packages")
    packages.mkdir(parents=True, exist_ok=True)
    with apt() as run:
        run("update")
        run("download", *names, cwd=packages)
    for package in packages.glob("*.deb"):
        quietly(["dpkg", "-x", str(package), str(root)])
    shutil.rmtree(packages)


@contextmanager
def _running(engine: Engine, folder: Path) -> Iterator[None]:
    _end_what_is_left(folder)
    programs = [folder / "root/usr/sbin", folder / "root/usr/bin"]
    path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
    command = [
        *(str(programs[0] / "dockerd"), "--host", f"unix://{engine.socket}"),
        *("--data-root", str(folder / "data"), "--exec-root", str(folder / "run")),
        *("--pidfile", str(_pid_file(folder)), *_NO_NETWORK),
    ]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            command, env={"PATH": path}, stdout=log, stderr=log, start_new_session=True
        ) as daemon,
    ):
        try:
            wait_until(lambda: daemon.poll() is not None or engine.answers())
            said = (folder / "log").read_text(encoding="utf-8", errors="replace")
            assert daemon.poll() is None, f"the engine ended:\n{said[-2000:]}"
            yield
        finally:
            daemon.terminate()
            daemon.wait(_PATIENCE)
            _clean_up(folder)


def _end_what_is_left(folder: Path) -> None:
    """The engine of a session that was killed, by the process id that it wrote down."""
    if not _pid_file(folder).exists():
        return
    pid = int(_pid_file(folder).read_text())
    if "dockerd" in _command_of(pid):
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: "dockerd" not in _command_of(pid))
    _clean_up(folder)


def _remove_what_is_left(engine: Engine) -> None:
    """Containers of a session that was killed keep the volumes that a new one wants to remove."""
    left = engine.run("container", "ls", "--all", "--quiet").stdout.split()
    if left:
        engine.run("container", "rm", "--force", "--volumes", *left)


def _clean_up(folder: Path) -> None:
    """What it mounted and counted."""
    _pid_file(folder).unlink(missing_ok=True)
    subprocess.run(["umount", folder / "run/netns/default"], check=False, capture_output=True)
    for group in Path("/sys/fs/cgroup").glob("*/docker"):
        with suppress(OSError):
            group.rmdir()


def _pid_file(folder: Path) -> Path:
    return folder / "pid"


def _command_of(pid: int) -> str:
    """What a process runs; nothing for one that has ended, though its parent has not asked yet."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def wait_until(reached: Callable[[], bool]) -> None:
    """Look again and again, and fail when it takes too long."""
    deadline = time.monotonic() + _PATIENCE
    while not reached():
        assert time.monotonic() < deadline, f"waited {_PATIENCE:g} s in vain"
        time.sleep(0.05)


def quietly(command: Sequence[str], cwd: Path | None = None) -> None:
    """Run it, and show what it said only when it failed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}"
