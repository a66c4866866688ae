"""Which files git leaves out: what a run left behind here is not part of an entry."""

import os
import subprocess
from functools import cached_property
from pathlib import Path

_QUESTION = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
_PATIENCE = 60  # seconds
# a repository may bring programs that git would start for it, and a folder of it may look like a
# repository of its own, whose settings name more of them
HARMLESS = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip


class Ignored:
    """Asks git once, when somebody wants to know. Outside of a repository nothing is ignored."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root

    def __call__(self, path: str) -> bool:
        """Whether a path, relative to the root, is a file or a folder that git leaves out."""
        return path in self._paths

    @cached_property
    def _paths(self) -> frozenset[str]:
        if self._root is None:
            return frozenset()
        answer = run_git(self._root, *_QUESTION)
        names = answer.split(b"\0") if answer is not None else []
        return frozenset(os.fsdecode(name).rstrip("/") for name in names if name)


def run_git(root: Path, *words: str) -> bytes | None:
    """What git says there, None when it says no."""
    try:
        done = subprocess.run(  # noqa: S603 -- git, with words of ours
            ["git", *HARMLESS, "-C", str(root), *words],  # noqa: S607 -- as the PATH has it
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
