"""Which files git leaves out: what a run left behind here is not part of an entry."""

import os
from functools import cached_property
from pathlib import Path

from agentevals.files.git import Git

_QUESTION = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


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
        answer = Git(self._root).answer(*_QUESTION)
        names = answer.split(b"\0") if answer is not None else []
        return frozenset(os.fsdecode(name).rstrip("/") for name in names if name)
