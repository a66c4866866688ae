"""The commands of docs/scale.md, pasted into a shell, with fewer traces."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.servers import find_port
from tests.support import DOCS

COUNT = 2500
PAGE = (DOCS / "scale.md").read_text(encoding="utf-8")


def take(language: str) -> str:
    (found,) = re.findall(rf"(?ms)^```{language}\n(.*?)^```", PAGE)
    return str(found)


def write_programs(folder: Path) -> str:
    """Write what the packages of the page install as commands; return their folder."""
    commands = {"python": "", "dask": "-m dask", "agentevals": "-m agentevals"}
    for name, module in commands.items():
        path = folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n')
        path.chmod(0o755)
    return str(folder / "bin")


def test_the_commands_of_the_page_score_every_trace(tmp_path: Path) -> None:
    (tmp_path / "write_traces.py").write_text(take("python"))
    text = take("sh").replace("COUNT=100000", f"COUNT={COUNT}")
    for port in ("5555", "8786"):  # others may use these on this machine
        text = text.replace(port, str(find_port()))

    done = subprocess.run(
        ["/bin/bash", "-c", f"set -m\n{text}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{write_programs(tmp_path)}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"{COUNT} cases.jsonl" in done.stdout, done.stdout + done.stderr
    assert f"PASS  {COUNT} cases passed" in done.stdout.replace(",", "")
