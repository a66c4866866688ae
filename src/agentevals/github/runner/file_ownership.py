"""Ownership of files: those that the container writes as root go to the workspace's owner."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def give_to_owner(paths: Iterable[Path], workspace: Path) -> list[str]:
    """Change the owner of files, of folders with their content, and of new folders above them.

    No link is followed, and nothing outside of the workspace is touched. Returns a sentence
    for each path that could not be given away; without the rights of root there is none to do.
    """
    if os.geteuid() != 0:
        return []
    return [said for path in paths if (said := _give_path(path, workspace))]


def _give_path(path: Path, workspace: Path) -> str:
    parts = path.relative_to(workspace).parts if path.is_relative_to(workspace) else ()
    if not parts or ".." in parts:
        return f"{path.name} is not below the workspace; its owner stays"
    try:
        _give(parts, workspace)
    except OSError as error:
        return f"{path.name} keeps its owner: {(error.strerror or str(error)).lower()}"
    return ""


def _give(parts: tuple[str, ...], workspace: Path) -> None:
    with _open(str(workspace)) as root:
        status = os.fstat(root)
        owner = (status.st_uid, status.st_gid)
        _descend(root, parts, owner)


def _descend(folder: int, parts: tuple[str, ...], owner: tuple[int, int]) -> None:
    """Each folder on the way is opened by its descriptor, so that none can be swapped for a link.

    A folder on the way that belonged to somebody else than us was there before.
    """
    name, *rest = parts
    if not rest:
        _give_all(folder, name, owner)
        return
    with _open(name, folder) as below:
        if os.fstat(below).st_uid == os.geteuid():
            os.chown(below, *owner)
        _descend(below, tuple(rest), owner)


def _give_all(folder: int, name: str, owner: tuple[int, int]) -> None:
    os.chown(name, *owner, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        return
    with _open(name, folder) as below:
        for _, folders, files, at in os.fwalk(".", dir_fd=below, follow_symlinks=False):
            for found in (*folders, *files):
                os.chown(found, *owner, dir_fd=at, follow_symlinks=False)


@contextmanager
def _open(name: str, folder: int | None = None) -> Iterator[int]:
    descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
