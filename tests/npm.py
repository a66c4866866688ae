"""Files out of packages of npm that tests hold us against: by their hash, kept in a cache."""

import base64
import fcntl
import hashlib
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from agentevals.sandbox.program_runtimes import find_node

_CACHE = Path.home() / ".cache/agentevals-tests/npm"
_SECONDS = 300


class Package(NamedTuple):
    """`name@version`, and the sha512 of its archive as npm itself writes it."""

    name: str
    sha512: str


def file(package: Package, member: str) -> bytes:
    """One file of it; a RuntimeError where nothing can be fetched, or it is not what it was."""
    kept = _CACHE / hashlib.sha256(f"{package} {member}".encode()).hexdigest()[:24]
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            part = kept.with_suffix(".part")
            part.write_bytes(_fetched(package, member))
            part.replace(kept)
    return kept.read_bytes()


def command() -> list[str]:
    """npm as it comes with our Node."""
    node = find_node()
    return [str(node), str(node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js")]


def _fetched(package: Package, member: str) -> bytes:
    with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
        words = [*command(), "pack", "--silent", package.name]
        try:
            subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            msg = f"`npm pack {package.name}` failed, and a test needs what is in it"
            raise RuntimeError(msg) from error
        (archive,) = Path(folder).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if digest != package.sha512:
            msg = f"{package.name} is not what it was: sha512 {digest}"
            raise RuntimeError(msg)
        with tarfile.open(archive) as opened:
            found = opened.extractfile(member)
            assert found
            return found.read()
