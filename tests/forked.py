"""Commands in processes of their own that are forked, because most of a start is importing.

The first command of a test process starts a server that has imported what commands import; each
command is a fork of it, with its own arguments, environment, folder and streams. What a start
itself does is tested with real starts, and so is every command with variables of Python.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from agentevals.github.api_retries import Pace
from agentevals.model import plugins

ROOT = Path(__file__).parents[1]
_SERVE = "import sys; sys.path[:0] = {paths}; from tests.forked import serve; serve({fd})"
_PRELOADED = (
    "agentevals.action.main",
    *(f"agentevals.cli.commands.{name}" for name in ("lock", "record", "run", "validate")),
    "agentevals.cli.redact_option",
    "agentevals.configs.dialects.agentevals",
    "agentevals.configs.dialects.agentv",
    "agentevals.configs.eval_sets.config_search",
    "agentevals.evaluator.resolver",
    "agentevals.evaluator.sources",
    "agentevals.graders.programs.code",
    "agentevals.graders.programs.remote",
    "agentevals.graders.text.response_match_score",
    "agentevals.graders.tools.tool_trajectory_avg_score",
    "agentevals.report.outputs.json_",
    "agentevals.report.outputs.table",
    *(
        f"agentevals.traces.diagnosis.{name}"
        for name in ("missing_turns", "trace_recorders", "unread_files")
    ),
    "agentevals.traces.recorder.otlp_receiver",
    "agentevals.traces.recorder.recording_storage",
    "agentevals_evaluator_sdk",
    "asyncio",
    "http.server",
    "registry_tools.cli",
    *(f"registry_tools.cli.commands.{name}" for name in ("decide", "diff", "index", "validate")),
    "registry_tools.smoke.smoke_trial",
    "typer._adapters",
    "typer._click.decorators",
)
_TABLES = (
    "agentevals.action.baseline_sources:SOURCES",
    "agentevals.action.destinations:DESTINATIONS",
    "agentevals.evaluator.sources:SOURCES",
    "agentevals.github.events:EVENTS",
    "agentevals.report.outputs:FILES",
    "agentevals.traces.conventions:CONVENTIONS",
    "agentevals.traces.loaders:LOADERS",
    "registry_tools.cli.formats:FORMATS",
    "registry_tools.rules:RULES",
)


def run(
    module: str,
    words: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    isolated: bool = False,
) -> "subprocess.CompletedProcess[str]":
    """Run `python -m module words…` to its end, `isolated` as `python -I` does."""
    command = [sys.executable, *(["-I"] if isolated else []), "-m", module, *map(str, words)]
    if any(name.startswith("PYTHON") for name in env):
        return subprocess.run(
            command, capture_output=True, encoding="utf-8", cwd=cwd, env=env, check=False
        )
    folder = str(cwd or Path.cwd())
    order = {
        "module": module,
        "argv": [module, *map(str, words)],
        "cwd": folder,
        "path": [] if isolated else [folder],
        "env": dict(env),
    }
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with Path(os.devnull).open("rb") as nothing:
            streams = [nothing.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(_server(), [json.dumps(order).encode()], streams)
        code = int(_server().recv(32) or b"-1")  # a server that died is a command that was killed
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read().decode(), err.read().decode())


def run_patched(
    module: str, words: Sequence[str], *, cwd: Path, env: Mapping[str, str], seconds: int = 120
) -> "subprocess.CompletedProcess[str]":
    """Run `python -m module words…` in a fork of this process, with all that it has patched."""
    order = {"module": module, "argv": [module, *words], "cwd": str(cwd), "path": [str(cwd)]}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        nothing = os.open(os.devnull, os.O_RDONLY)
        child = os.fork()
        if not child:
            signal.alarm(seconds)  # ends a child that hangs
            weakref.finalize._registry.clear()  # folders of this process are not the child's
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # pytest has others
            _hurry()
            _become(
                order | {"env": dict(env)}, [nothing, *map(os.dup, (out.fileno(), err.fileno()))]
            )
        os.close(nothing)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read().decode(), err.read().decode())


@cache
def _server() -> socket.socket:
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    code = _SERVE.format(paths=[str(ROOT / "src"), str(ROOT)], fd=there.fileno())
    process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[there.fileno()], cwd="/")
    there.close()
    atexit.register(process.wait)
    atexit.register(here.close)
    return here


def serve(fd: int) -> None:
    """Fork for each order until nobody asks any more."""
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    for module in _PRELOADED:
        import_module(module)
    for table in map(plugins.load, _TABLES):
        for name in table.ours:
            table[name]
    _hurry()
    gc.collect()
    gc.freeze()  # no fork copies the memory of what was imported only to look for garbage
    del sys.path[:3]  # ours, and the folder of the server; a command has its own
    connection = socket.socket(fileno=fd)
    while True:
        order, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
        if not order:
            return
        child = os.fork()
        if not child:
            connection.close()
            _become(json.loads(order), streams)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def _hurry() -> None:
    """Leave out the second between writes that GitHub asks for: on loopback nobody does."""
    Pace.wait_to_write = lambda _: None  # type: ignore[method-assign]


def _become(order: dict[str, object], streams: list[int]) -> None:
    """The command itself; it ends as an interpreter does."""
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environ.update(order["env"])
        time.tzset()
        os.chdir(order["cwd"])
        sys.path[:0] = order["path"]
        sys.argv[:] = order["argv"]
        code = _main(order["module"])
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _main(module: str) -> int:
    """Return the exit code of an interpreter, and print what one would print."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001 -- an interpreter prints whatever ends it
        traceback.print_exc()
        return 1
    return 0
