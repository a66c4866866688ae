"""One file, checked by the command that its owner would type."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.frameworks import installing

_ADVICE = re.compile(r" \((?:known: |did you mean).*")
_VARIABLE = re.compile(r"\$\{\{\s*(\w+)\s*\}\}")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def check_config(path: Path) -> list[str]:
    """Why a config is refused: each reason once; nothing if it is read."""
    return _check(path, path.name)


def check_eval_set(path: Path) -> list[str]:
    """The same of an eval set without a config."""
    return _check(path, "--eval-set", path.name)


def _check(path: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "agentevals", "validate", "--json", *words],
        cwd=path.parent,
        env={**_list_variables(path), **os.environ, "PATH": _find_path()},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return [f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"]
    return list(dict.fromkeys(each["message"] for each in found["problems"]))


def _list_variables(path: Path) -> dict[str, str]:
    """Those that the targets of AgentV beside a file take from their owner's environment."""
    targets = [each for folder in path.parents for each in folder.glob(".agentv/targets.y*ml")]
    named = _VARIABLE.findall("".join(each.read_text(encoding="utf-8") for each in targets))
    return dict.fromkeys(named, "https://example.org")


@cache
def _find_path() -> str:
    """The search path with bun, which AgentV's programs are started by."""
    bun = installing.install(("bun@1.3.2",), node=True)
    return f"{bun.scripts}:{os.environ['PATH']}"


def mask(message: str) -> str:
    """A message without the names in it, so that equal reasons count as one, and without advice."""
    return _ADVICE.sub("", _QUOTED.sub("…", message))
