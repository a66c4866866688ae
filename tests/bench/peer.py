"""The predecessor, installed from the package index into an environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = ("agentevals-cli==0.11.0", "agentevals-evaluator-sdk==0.2.0")


def command() -> Path:
    """Its `agentevals`, installed when it is not there yet (a few minutes, 933 MB)."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / "agentevals" / "bench" / f"{REQUIREMENTS[0]}-py{sys.version_info.minor}"
    script = place / "bin" / "agentevals"
    if not script.is_file():
        print(f"installing {' and '.join(REQUIREMENTS)} into {place} (once)", file=sys.stderr)
        uv = Path(sys.executable).with_name("uv")
        python = f"{sys.base_prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", python, place], check=True)
        subprocess.run(
            [uv, "pip", "install", "--quiet", "--python", place / "bin/python", *REQUIREMENTS],
            check=True,
        )
    return script


def size_megabytes(script: Path) -> float:
    """What its environment takes on disk."""
    files = (path for path in script.parents[1].rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files) / 2**20
