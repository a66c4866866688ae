"""Files that AgentV finds by their place: in a folder `.agentv`, here or further up."""

from collections.abc import Iterator
from pathlib import Path

from agentevals.files import reading

_REPOSITORY = ".git"  # nothing above a repository belongs to it


def find_upward(folder: Path, name: str, root: Path | None) -> Path | None:
    """The nearest file of that name in a folder or above, as far as the repository goes."""
    for place in _list_folders(folder.absolute(), root):
        path = place / name
        if reading.exists(path) and path.is_file() and reading.contains(root, path):
            return reading.shortest(path)
    return None


def _list_folders(folder: Path, root: Path | None) -> Iterator[Path]:
    for place in (folder, *folder.parents):
        if not reading.contains(root, place):
            return
        yield place
        if reading.exists(place / _REPOSITORY):
            return
