"""The project of a config: the folder that its paths must not leave."""

import os
import stat
from pathlib import Path

_HISTORY = ".git"
_FOR_EVERYBODY = stat.S_IWOTH | stat.S_ISVTX


def find_project(folder: Path) -> Path:
    """Return the repository that a folder lies in; without one, the working directory around it.

    A home holds more than one project, and so does /tmp. Where only such a folder is left, the
    project is the given folder itself.
    """
    start = folder.resolve()
    lineage = (start, *start.parents)
    here = Path.cwd().resolve()
    repository = next((place for place in lineage if os.path.lexists(place / _HISTORY)), None)
    found = repository or (here if here in lineage else start)
    return start if found != start and holds_projects(found) else found


def holds_projects(folder: Path) -> bool:
    """Return whether a folder is the root, holds a home, or is for everybody, as /tmp is."""
    if folder == Path(folder.anchor):
        return True
    try:
        if folder.stat().st_mode & _FOR_EVERYBODY == _FOR_EVERYBODY:
            return True
        return Path.home().resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # there is no such folder, or nobody knows where the home is
        return False
