"""A container that runs the programs of one evaluator, one after the other."""

import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from agentevals.model.errors import EvaluatorError, UnavailableError
from agentevals.sandbox.container.container_archive import Archive
from agentevals.sandbox.container.container_engine import Engine, EngineError
from agentevals.sandbox.container.container_images import Image
from agentevals.sandbox.container.container_stream import Connect, LostError, Stream
from agentevals.sandbox.launcher.preloading import FOR_EVALUATORS

_MIB = 1 << 20
_HOME = "/agentevals"
_PROGRAM, _PACKAGES, _LENT, _CERTIFICATES = "evaluator", "packages", "lent", "certificates"
_OF_OURS = "own/agentevals/sandbox/container"
_LABEL, _FORGOTTEN = "agentevals", 600
_FIRST_USER, _USERS = 20_000, 40_000  # engines without root know 65,536
# of its one user, though everybody's: Podman does not let one be named
_TMPFS = "rw,nosuid,nodev,exec,size=256m,mode=1777"
_PROCESSES = 128
# Podman sets a limit of processes that not every machine has, unless it is told one
_LIMITS = {"core": 0, "fsize": 64 * _MIB, "nofile": 256, "nproc": _PROCESSES}
# what these would keep belongs to no process, so that the next case would find it
_NOTHING_KEPT = {
    "kernel.shmmni": "0",
    "kernel.msgmni": "0",
    "kernel.sem": "250 32000 32 0",
    "fs.mqueue.queues_max": "0",
}
_STARTING, _GRACE = 60.0, 5.0
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUTF8": "1",
    "PYTHONPATH": f"{_HOME}/{_PACKAGES}:{_HOME}/{_LENT}",
}
_RUNS = (
    f"import sys; sys.path.insert(0, '{_HOME}/own'); "
    "from agentevals.sandbox.container.supervisor import main; main()"
)


class Supervisor(NamedTuple):
    """The first process of a container: its files of ours, and how it is started."""

    files: tuple[str, ...]
    argv: tuple[str, ...]


_OF_PYTHON = Supervisor(("supervisor.py", "relay.py"), ("python3", "-I", "-S", "-B", "-c", _RUNS))
# for an image that has no Python
_OF_NODE = Supervisor(("supervisor.cjs",), ("node", f"{_HOME}/{_OF_OURS}/supervisor.cjs"))


@dataclass(frozen=True, kw_only=True)
class Content:
    """Files that are copied into a container, and the memory that it has.

    The granted `files` lie in it as they lie around the program, whose paths to them thus hold.
    """

    program: Path
    files: tuple[Path, ...] = ()
    certificates: tuple[Path, ...] = ()
    packages: Path | None = None
    memory_mb: int = 1024
    by_node: bool = False

    def find_place(self, path: Path) -> str:
        """Return the path of one of its files in the container."""
        if path in self.certificates:
            return f"{_CERTIFICATES}/{self.certificates.index(path)}"
        around = os.path.commonpath((self.program.parent, *(one.parent for one in self.files)))
        return os.path.normpath(f"{_PROGRAM}/{path.relative_to(around)}")


@dataclass(frozen=True)
class Order:
    """A program to run, the variables that it was granted, and how long and how much it may."""

    argv: Sequence[str]
    env: Mapping[str, str]
    timeout: float
    most: int
    # granted files by their paths in its scratch folder
    links: Mapping[str, str]
    # on which it reaches what `connect` makes
    ports: Sequence[int] = ()
    connect: Connect | None = None


@dataclass(frozen=True)
class Ended:
    """The end of a program in a container."""

    exit_code: int
    is_late: bool
    stdout: bytes
    stderr: bytes


class Container:
    """A container that lives as long as the connection to its first process."""

    def __init__(self, engine: Engine, image: Image, content: Content) -> None:
        self._engine, self._content = engine, content
        self._opened = ExitStack()
        supervisor = _OF_NODE if content.by_node else _OF_PYTHON
        created = engine.ask("POST", "/containers/create", _describe(image, content, supervisor))
        self._id = str(created["Id"])
        try:
            self._copy(supervisor)
            self._stream = self._opened.enter_context(closing(Stream(engine.attach(self._id))))
            engine.ask("POST", f"/containers/{self._id}/start")
            started, _ = self._stream.receive(_STARTING)
            self._lend(str(started["version"]))
        except (EngineError, LostError) as error:
            self.remove()
            msg = f"cannot be started in {image}: {_explain(error, supervisor)}"
            raise EvaluatorError(msg) from error
        except BaseException:
            self.remove()
            raise

    def find_path(self, path: Path) -> str:
        """Return the absolute path of a file that was copied into it."""
        return f"{_HOME}/{self._content.find_place(path)}"

    def run(self, asked: Order, stdin: bytes) -> Ended:
        """Run a program in it, in a process and a folder of its own."""
        order = {
            "argv": list(asked.argv),
            "env": {**_ENVIRONMENT, **asked.env},
            "timeout": asked.timeout,
            "most": asked.most,
            "links": dict(asked.links),
            "ports": list(asked.ports),
        }
        try:
            self._stream.send(order, stdin)
            ended, printed = self._stream.receive(asked.timeout + _GRACE, asked.connect)
        except (OSError, ValueError, KeyError, LostError) as error:
            self.remove()
            msg = f"was lost: its container ended ({error})"
            raise EvaluatorError(msg) from error
        size = ended["sizes"][0]
        return Ended(ended["exit"], ended["late"], printed[:size], printed[size:])

    def remove(self) -> None:
        """End it with everything in it."""
        self._opened.close()
        with suppress(EvaluatorError, UnavailableError):  # it has ended, and so removed itself
            self._engine.ask("DELETE", f"/containers/{self._id}", force=1, v=1)

    def _copy(self, supervisor: Supervisor) -> None:
        content = self._content
        with tempfile.TemporaryFile() as file:
            archive = Archive(file)
            for name in supervisor.files:
                archive.add_file(Path(__file__).with_name(name), f"{_OF_OURS}/{name}")
            archive.add_folder(content.program.parent, content.find_place(content.program.parent))
            for path in (*content.files, *content.certificates):
                archive.add(path, content.find_place(path))
            if content.packages:
                archive.add_folder(content.packages, _PACKAGES)
            self._engine.put_archive(self._id, _HOME, archive.finish())

    def _lend(self, version: str) -> None:
        """The SDK and what it stands on, for a Python of the same version as ours."""
        ours = "{}.{}".format(*sys.version_info)
        if self._content.by_node:
            return
        if self._content.packages and version != ours:
            what = f"its packages are for Python {ours}, and the image has {version}"
            msg = f"cannot be started: {what}; set 'image' to one with Python {ours}"
            raise EvaluatorError(msg)
        with tempfile.TemporaryFile() as file:
            archive = Archive(file)
            for name in FOR_EVALUATORS if version == ours else ():
                spec = find_spec(name)
                if spec and spec.submodule_search_locations:
                    archive.add_folder(Path(spec.submodule_search_locations[0]), f"{_LENT}/{name}")
                elif spec and spec.origin:
                    archive.add_file(Path(spec.origin), f"{_LENT}/{name}.py")
            self._engine.put_archive(self._id, _HOME, archive.finish())


def remove_unstarted(engine: Engine) -> None:
    """Remove containers of a run that was killed before it could start them."""
    filters = json.dumps({"label": [_LABEL], "status": ["created"]})
    for found in engine.ask("GET", "/containers/json", all=1, filters=filters):
        if time.time() - found["Created"] > _FORGOTTEN:
            with suppress(EngineError):  # somebody else was faster
                engine.ask("DELETE", f"/containers/{found['Id']}", v=1)


def _describe(image: Image, content: Content, supervisor: Supervisor) -> dict[str, Any]:
    """Describe the container: no network, no rights, nothing to write to but its scratch folder."""
    user = _FIRST_USER + (os.getpid() + time.monotonic_ns()) % _USERS
    return {
        "Image": image.id,
        "User": f"{user}:{user}",
        "Entrypoint": list(supervisor.argv),
        "Cmd": [],
        "WorkingDir": "/",
        "Labels": {_LABEL: "evaluator"},
        "Volumes": {_HOME: {}},
        "NetworkDisabled": True,
        "OpenStdin": True,
        "StdinOnce": True,
        "Tty": False,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "HostConfig": {
            "AutoRemove": True,
            "Init": content.by_node,
            "NetworkMode": "none",
            "IpcMode": "none",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Memory": content.memory_mb * _MIB,
            "MemorySwap": content.memory_mb * _MIB,
            "PidsLimit": _PROCESSES,
            "OomScoreAdj": 1000,
            "Sysctls": _NOTHING_KEPT,
            "LogConfig": {"Type": "none"},
            "Tmpfs": {"/scratch": _TMPFS},
            "Ulimits": [
                {"Name": name, "Soft": most, "Hard": most} for name, most in _LIMITS.items()
            ],
        },
    }


def _explain(error: EvaluatorError, supervisor: Supervisor) -> str:
    interpreter = supervisor.argv[0]
    said = str(error).lower()
    if "executable file not found" in said or "no such file" in said:
        return f"the image has no {interpreter!r}; set 'image' to one that has"
    return str(error)
