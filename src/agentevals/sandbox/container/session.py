"""A container that runs the programs of one evaluator, one after the other."""

import json
import os
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.container.archive import Archive
from agentevals.sandbox.container.engine import Engine, EngineError
from agentevals.sandbox.container.images import Image
from agentevals.sandbox.launcher.preloading import FOR_EVALUATORS

_MIB = 1 << 20
_HOME = "/agentevals"
_PROGRAM, _PACKAGES, _LENT = "evaluator", "packages", "lent"
_LENGTH, _FRAME = struct.Struct(">I"), struct.Struct(">BxxxI")
_STDOUT = 1
_LABEL, _FORGOTTEN = "agentevals", 600
_FIRST_USER, _USERS = 20_000, 40_000  # engines without root know 65,536
_TMPFS = "rw,nosuid,nodev,exec,size=256m,mode=0700"
_STARTING, _GRACE = 60.0, 5.0
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUTF8": "1",
    "PYTHONPATH": f"{_HOME}/{_PACKAGES}:{_HOME}/{_LENT}",
}
# one whose image has no Python is run by Node
_SUPERVISORS = {
    "supervisor.py": ["python3", "-I", "-S", "-B"],
    "supervisor.cjs": ["node"],
}


@dataclass(frozen=True)
class Content:
    """Files that are copied into a container, and the memory that it has."""

    program: Path
    packages: Path | None
    memory_mb: int
    by_node: bool


@dataclass(frozen=True)
class Order:
    """A program to run, the variables that it was granted, and how long and how much it may."""

    argv: Sequence[str]
    env: Mapping[str, str]
    timeout: float
    most: int


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
        self._ends: tuple[socket.socket, IO[bytes]] | tuple[()] = ()
        supervisor = list(_SUPERVISORS)[content.by_node]
        created = engine.ask("POST", "/containers/create", _describe(image, content, supervisor))
        self._id = str(created["Id"])
        try:
            self._copy(supervisor)
            self._socket, self._received = self._ends = engine.attach(self._id)
            self._socket.settimeout(_STARTING)
            self._unread, self._errors = b"", b""
            engine.ask("POST", f"/containers/{self._id}/start")
            self.version = str(self._receive()["version"])
            self._lend()
        except EngineError as error:
            self.remove()
            msg = f"cannot be started in {image}: {_explain(error, supervisor)}"
            raise EvaluatorError(msg) from error
        except BaseException:
            self.remove()
            raise

    @property
    def program(self) -> str:
        """The path of the program in the container."""
        return f"{_HOME}/{_PROGRAM}/{self._content.program.name}"

    def run(self, asked: Order, stdin: bytes) -> Ended:
        """Run a program in it, in a process and a folder of its own."""
        order = {
            "argv": list(asked.argv),
            "env": {**_ENVIRONMENT, **asked.env},
            "timeout": asked.timeout,
            "most": asked.most,
            "stdin": len(stdin),
        }
        self._socket.settimeout(asked.timeout + _GRACE)
        written = json.dumps(order).encode()
        try:
            self._socket.sendall(_LENGTH.pack(len(written)) + written + stdin)
            ended = self._receive()
            stdout, stderr = (self._read(size) for size in ended["sizes"])
        except (OSError, ValueError, KeyError) as error:
            self.remove()
            msg = f"was lost: its container ended ({error})"
            raise EvaluatorError(msg) from error
        return Ended(ended["exit"], ended["late"], stdout, stderr)

    def remove(self) -> None:
        """End it with everything in it."""
        for end in self._ends:
            with suppress(OSError):
                end.close()
        with suppress(EvaluatorError):  # it has ended, and so removed itself
            self._engine.ask("DELETE", f"/containers/{self._id}", force=1, v=1)

    def _copy(self, supervisor: str) -> None:
        with tempfile.TemporaryFile() as file:
            archive = Archive(file)
            archive.add_file(Path(__file__).with_name(supervisor), supervisor)
            archive.add_folder(self._content.program.parent, _PROGRAM)
            if self._content.packages:
                archive.add_folder(self._content.packages, _PACKAGES)
            self._engine.put_archive(self._id, _HOME, archive.finish())

    def _lend(self) -> None:
        """The SDK and what it stands on, for a Python of the same version as ours."""
        ours = "{}.{}".format(*sys.version_info)
        if self._content.by_node:
            return
        if self._content.packages and self.version != ours:
            what = f"its packages are for Python {ours}, and the image has {self.version}"
            msg = f"cannot be started: {what}; set 'image' to one with Python {ours}"
            raise EvaluatorError(msg)
        with tempfile.TemporaryFile() as file:
            archive = Archive(file)
            for name in FOR_EVALUATORS if self.version == ours else ():
                spec = find_spec(name)
                if spec and spec.submodule_search_locations:
                    archive.add_folder(Path(spec.submodule_search_locations[0]), f"{_LENT}/{name}")
                elif spec and spec.origin:
                    archive.add_file(Path(spec.origin), f"{_LENT}/{name}.py")
            self._engine.put_archive(self._id, _HOME, archive.finish())

    def _receive(self) -> Any:
        return json.loads(self._read(*_LENGTH.unpack(self._read(_LENGTH.size))))

    def _read(self, size: int) -> bytes:
        """Read from the standard output of the first process, which comes in frames."""
        while len(self._unread) < size:
            head = self._received.read(_FRAME.size)
            if len(head) < _FRAME.size:
                said = self._errors.decode(errors="replace").strip()
                msg = said[-500:] or "no reason was given"
                raise EngineError(0, msg)
            stream, length = _FRAME.unpack(head)
            piece = self._received.read(length)
            if stream == _STDOUT:
                self._unread += piece
            else:
                self._errors = (self._errors + piece)[-4096:]
        read, self._unread = self._unread[:size], self._unread[size:]
        return read


def remove_unstarted(engine: Engine) -> None:
    """Remove containers of a run that was killed before it could start them."""
    filters = json.dumps({"label": [_LABEL], "status": ["created"]})
    for found in engine.ask("GET", "/containers/json", all=1, filters=filters):
        if time.time() - found["Created"] > _FORGOTTEN:
            with suppress(EngineError):  # somebody else was faster
                engine.ask("DELETE", f"/containers/{found['Id']}", v=1)


def _describe(image: Image, content: Content, supervisor: str) -> dict[str, Any]:
    """Describe the container: no network, no rights, nothing to write to but its scratch folder."""
    user = _FIRST_USER + (os.getpid() + time.monotonic_ns()) % _USERS
    return {
        "Image": image.id,
        "User": f"{user}:{user}",
        "Entrypoint": [*_SUPERVISORS[supervisor], f"{_HOME}/{supervisor}"],
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
            "PidsLimit": 128,
            "OomScoreAdj": 1000,
            "LogConfig": {"Type": "none"},
            "Tmpfs": {
                "/scratch": f"rw,nosuid,nodev,exec,size=256m,mode=0700,uid={user},gid={user}"
            },
            "Ulimits": [
                {"Name": name, "Soft": most, "Hard": most}
                for name, most in (("core", 0), ("fsize", 64 * _MIB), ("nofile", 256))
            ],
        },
    }


def _explain(error: EngineError, supervisor: str) -> str:
    interpreter = _SUPERVISORS[supervisor][0]
    said = str(error).lower()
    if "executable file not found" in said or "no such file" in said:
        return f"the image has no {interpreter!r}; set 'image' to one that has"
    return str(error)
