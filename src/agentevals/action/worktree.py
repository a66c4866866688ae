"""The files of the checkout beside the commit that is evaluated: a step before may write others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from agentevals.action import git
from agentevals.action.job import Job
from agentevals.action.locations import relative


@dataclass(frozen=True)
class WorkTree:
    """The checkout of a job. `committed` is None where nobody knows what the commit holds."""

    root: Path
    committed: dict[str, str] | None
    _known: dict[Path, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job) -> "WorkTree":
        """The merge that the runner checks out counts first, as it is what lies here."""
        root, context = job.workspace.root, job.context
        found = (git.contents(root, commit) for commit in (context.sha, context.head_sha) if commit)
        return cls(root, next((files for files in found if files is not None), None))

    def differs(self, files: Iterable[Path], wanted: Callable[[str], bool]) -> bool:
        """Whether one of the files is not in the commit as it lies here, or a wanted one is gone.

        True as well where nobody knows what the commit holds.
        """
        if self.committed is None:
            return True
        gone = (name for name in self.committed if wanted(name) and not (self.root / name).exists())
        return any(True for _ in gone) or not all(map(self.holds, files))

    def holds(self, path: Path) -> bool:
        """Whether the commit has this file with what is in it here."""
        if path not in self._known:
            self._known[path] = self._holds(path)
        return self._known[path]

    def _holds(self, path: Path) -> bool:
        committed = (self.committed or {}).get(relative(path, self.root))
        if committed is None or not path.is_file():  # a pipe would be waited for
            return False
        return git.content_id(path, committed) == committed
