"""The project of a config: the folder that its paths must not leave."""

import os
import stat
from pathlib import Path

_HISTORY = ".git"
_OF_MACHINE = ((), ("dev",))
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


def leads_out(path: Path) -> bool:
    """Return whether the first link on the way to a file leads out of the project that it lies in.

    Links of the machine, such as /tmp on macOS and /dev/stdin, lead where the machine says.
    """
    way = (*reversed(path.absolute().parents), path.absolute())
    links = (
        place for place in way if place.is_symlink() and place.parts[1:-1][:1] not in _OF_MACHINE
    )
    first = next(links, None)
    return first is not None and not path.resolve().is_relative_to(find_project(first.parent))


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
