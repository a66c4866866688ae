"""Relative paths in a file: first the file's own folder, then the working directory."""

from glob import has_magic
from pathlib import Path

from agentevals.files import globs, reading
from agentevals.files.documents import Document
from agentevals.files.places import Key, quote
from agentevals.model.errors import Problem
from agentevals.model.results import Finding, Severity


class Paths:
    """Makes the paths in one document absolute, and remembers which were found elsewhere."""

    def __init__(self, document: Document, root: Path | None = None) -> None:
        self._document, self._root = document, root
        self._folder = document.path.absolute().parent
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []

    def absolute(self, given: str, where: tuple[Key, ...]) -> str:
        """Return a path or a glob that no longer depends on where the program is started.

        Where it leads out of the root there is a problem, and nothing may be read from it.
        """
        chosen = self._choose(given, where)
        if not reading.contains(self._root, Path(chosen)):
            message = f"{quote(given)} leads out of the workspace; use a file in it"
            self.problems.append(self._document.problem(message, where))
        return chosen

    def find(self, given: str) -> Path | None:
        """Return the file of a name if it exists and may be read; else None, without a problem."""
        for path in (self._folder / given, Path.cwd() / given):
            if reading.exists(path) and path.is_file() and reading.contains(self._root, path):
                return path
        return None

    def _choose(self, given: str, where: tuple[Key, ...]) -> str:
        beside, here = self._folder / given, Path.cwd() / given
        if _exists(beside) or not _exists(here):
            return str(beside)
        self.findings.append(self._note_elsewhere(given, where))
        return str(here)

    def _note_elsewhere(self, given: str, where: tuple[Key, ...]) -> Finding:
        line, column = self._document.place(where)
        return Finding(
            severity=Severity.NOTE,
            rule="path-from-working-directory",
            message=f"{quote(given)} is not in the folder of this file; "
            "the one in the working directory is used",
            path=str(self._document.path),
            line=line,
            column=column,
        )


def _exists(path: Path) -> bool:
    if reading.exists(path):
        return True
    return has_magic(str(path)) and next(globs.matching(str(path)), None) is not None
