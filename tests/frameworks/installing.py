"""The packages of a combination in an environment of their own, kept by what is in it."""

import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agentevals.sandbox.program_runtimes import find_node
from tests import npm

_CACHE = Path.home() / ".cache/agentevals-tests/frameworks"
_SECONDS = 360  # of the ten minutes that a row has


@dataclass(frozen=True)
class Installed:
    """Where the packages are, and the program that runs an agent with them."""

    folder: Path
    program: Path
    scripts: Path

    def list_versions(self) -> dict[str, str]:
        """Every package with its version."""
        if (self.folder / "node_modules").is_dir():
            return _list_modules(self.folder)
        code = (
            "import importlib.metadata as m\n"
            "for d in m.distributions(): print(d.name.lower().replace('_', '-'), d.version)"
        )
        done = subprocess.run(
            [self.program, "-c", code], check=True, capture_output=True, text=True
        )
        return dict(line.split() for line in done.stdout.splitlines())


def install(
    packages: tuple[str, ...], *, node: bool, newest: bool = False, as_of: str = ""
) -> Installed:
    """Install them, unless they are. The `newest` releases are those of today."""
    day = datetime.now(UTC).date().isoformat() if newest else as_of
    key = hashlib.sha256(repr((packages, day, sys.version)).encode()).hexdigest()[:24]
    folder = _CACHE / key
    marker = folder / "complete"
    with _hold(folder.with_suffix(".lock")):  # two rows can have the same packages
        if not marker.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            if node:
                _install_modules(folder, packages, as_of)
            else:
                _install_packages(folder, packages, as_of)
            marker.touch()
    if node:
        return Installed(folder, find_node(), folder / "node_modules/.bin")
    return Installed(folder, folder / "bin/python", folder / "bin")


@contextmanager
def _hold(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install_packages(folder: Path, packages: tuple[str, ...], as_of: str) -> None:
    """With uv, whose cache all rows share, and which knows the packages of a day."""
    uv = Path(sysconfig.get_path("scripts")) / "uv"
    _run([uv, "venv", "--allow-existing", "--python", sys.executable, folder])
    before = ("--exclude-newer", as_of) if as_of else ()
    _run([uv, "pip", "install", "--python", folder / "bin/python", *before, *packages])


def _install_modules(folder: Path, packages: tuple[str, ...], as_of: str) -> None:
    before = ("--before", as_of) if as_of else ()
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    _run(
        [*npm.command(), "install", "--no-audit", "--no-fund", "--silent", *before, *packages],
        folder,
    )


def _list_modules(folder: Path) -> dict[str, str]:
    lock = json.loads((folder / "node_modules/.package-lock.json").read_text())
    return {
        path.rpartition("node_modules/")[2]: each["version"]
        for path, each in lock["packages"].items()
        if path.count("node_modules/") == 1
    }


def _run(words: Sequence[str | Path], folder: Path | None = None) -> None:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        msg = f"{' '.join(map(str, words[:4]))} … failed: {last}"
        raise RuntimeError(msg)
