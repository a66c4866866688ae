"""Interpreters work with the system calls that the sandbox allows, with threads and children."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentevals.sandbox.isolation import describe, run_program
from agentevals.sandbox.program_rights import Rights
from agentevals.sandbox.program_runtimes import find_node, node_version

pytestmark = pytest.mark.skipif("seccomp" not in describe(), reason="this kernel has no filter")

UV = str(Path(sys.executable).with_name("uv"))
VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
# what runtimes do beyond reading and writing
IN_PYTHON = """
import asyncio, ctypes, subprocess, sys, tempfile, threading
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1)(1) == 2
threads = [threading.Thread(target=print) for _ in range(30)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
async def ask():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(7)", stdout=-1)
    return (await child.communicate())[0]
assert asyncio.run(ask()) == b"7\\n"
with tempfile.TemporaryFile() as file:
    file.write(b"x")
print(subprocess.run(["sh", "-c", "printf works | tr a-z A-Z"], capture_output=True).stdout)
"""
IN_NODE = """
const { Worker, isMainThread, parentPort } = require("node:worker_threads");
if (!isMainThread) parentPort.postMessage(1);
else {
  const { pbkdf2 } = require("node:crypto"), { spawnSync } = require("node:child_process");
  let left = 4;
  for (let n = 0; n < 4; n++) new Worker(__filename).on("message", () => {
    if (--left === 0) pbkdf2("a", "b", 10, 10, "sha256", () =>
      require("node:fs").promises.readFile(__filename).then(() =>
        console.log(spawnSync("echo", ["works"]).stdout.toString())));
  });
}
"""


def find_python(version: str) -> str:
    """Return a Python beside ours, or one that uv finds. Without one the test is skipped."""
    beside = [*Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python3")]
    if beside:
        return str(beside[0])
    words = ("python", "find", "--offline", "--system", "--no-project", "--no-python-downloads")
    found = subprocess.run([UV, *words, version], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip(f"this machine has no Python {version}")
    return found.stdout.strip()


def build_environment(python: str, folder: Path) -> list[str]:
    """Return the interpreter of an environment that uv has built."""
    command = [UV, "venv", "--quiet", "--offline", "--no-cache", "--python", python, "environment"]
    subprocess.run(command, cwd=folder, check=True)
    return [str(folder / "environment/bin/python")]


STARTS: dict[str, Callable[[str, Path], list[str]]] = {
    "itself": lambda python, _: [python],
    "an environment of uv": build_environment,
    "uv run": lambda python, _: [UV, "run", "--offline", "--no-project", "--python", python],
}


def list_nodes() -> list[Path]:
    """Return the Node of the package, and all on the path."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    found = ((folder / "node").resolve() for folder in folders if (folder / "node").is_file())
    return sorted({find_node(), *found})


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_python_works(version: str, start: str, tmp_path: Path) -> None:
    python = find_python(version)
    (tmp_path / "works.py").write_text(IN_PYTHON)

    finished = run_program(
        [*STARTS[start](python, tmp_path), str(tmp_path / "works.py")],
        stdin=b"",
        timeout=60,
        folder=tmp_path,
        packages=[Path(python).resolve().parents[1]],
        rights=Rights(subprocess=True),
    )

    assert finished.stdout.decode().endswith("b'WORKS'\n"), finished.stderr


@pytest.mark.parametrize("node", list_nodes(), ids=str)
def test_every_node_of_this_machine_works_with_its_threads(node: Path, tmp_path: Path) -> None:
    (tmp_path / "works.cjs").write_text(IN_NODE)

    finished = run_program(
        [str(node), str(tmp_path / "works.cjs")],
        stdin=b"",
        timeout=60,
        folder=tmp_path,
        rights=Rights(subprocess=True),
    )

    assert finished.stdout.startswith(b"works"), (node_version(node), finished.stderr)
