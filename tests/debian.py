"""apt-get for tests that need programs of Debian. It waits for no other, so they take turns."""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK = Path(tempfile.gettempdir()) / "agentevals-tests-apt.lock"


@contextmanager
def apt() -> Iterator[Callable[..., None]]:
    """Yield what runs apt-get. Other tests that install something wait until the block ends."""
    with _LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _run


def _run(*words: str, cwd: Path | None = None) -> None:
    done = subprocess.run(
        ["apt-get", "-qq", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        check=False,
    )
    if done.returncode:
        message = f"apt-get {' '.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}"
        raise RuntimeError(message)
