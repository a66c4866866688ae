"""Other systems, each installed from the package index into an environment of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

REQUIREMENTS = ("agentevals-cli==0.11.0", "agentevals-evaluator-sdk==0.2.0")


def command() -> Path:
    """The predecessor's `agentevals` (933 MB)."""
    return installed("agentevals", REQUIREMENTS)


def installed(script: str, requirements: Sequence[str]) -> Path:
    """A command of what is installed; where it is not there yet that takes a few minutes."""
    # no `=`: a command that `env` starts must not look like a variable
    name = requirements[0].replace("==", "-")
    place = cache() / f"{name}-py{sys.version_info.minor}"
    found = place / "bin" / script
    if not found.is_file():
        print(f"installing {' and '.join(requirements)} into {place} (once)", file=sys.stderr)
        uv = Path(sys.executable).with_name("uv")
        python = f"{sys.base_prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", python, place], check=True)
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", place / "bin/python", *requirements],
            check=True,
        )
    return found


def cache() -> Path:
    """Where they are kept between two runs."""
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(usual) / "agentevals" / "bench"


def size_megabytes(folder: Path) -> float:
    """What an environment takes on disk."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 2**20
