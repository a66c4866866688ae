"""The one folder that a program may write to. It is made for it, and gone after it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

_MOST_FILES = 10_000
_BLOCK = 512
# what lies deeper than the kernel takes paths would be hidden from us
_LONGEST_PATH = 3500


def make(path: str, links: Mapping[str, str], user: int | None) -> None:
    """Make the folder, for nobody else, with links to what it is granted elsewhere."""
    Path(path).mkdir(0o700)
    for name, goal in links.items():
        link = Path(path, name)
        link.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            link.symlink_to(goal)
    give(path, user)


def give(path: str, user: int | None) -> None:
    """Let another user, if there is one, write to a folder of ours."""
    if user is not None:
        os.chown(path, user, user)
        for entry in _walk(path):
            os.chown(entry.path, user, user, follow_symlinks=False)


def exceeds(path: str, size: int) -> bool:
    """Return whether a folder holds more than `size` bytes, or more than can be counted."""
    total = 0
    if size < 0:
        return True
    for number, entry in enumerate(_walk(path)):
        total += _measure(entry)
        if total > size or number > _MOST_FILES or len(entry.path) > _LONGEST_PATH:
            return True
    return False


def remove(path: str) -> None:
    """Remove a folder, whatever its former user left in it, however deep."""
    folder = Path(path)
    with suppress(OSError):
        folder.rmdir()
        return
    # a result is worth more than a folder; the one around it is removed at the end
    with suppress(OSError):
        _open_up(path)
        _empty(path)
        folder.rmdir()


def remove_tree(base: str) -> None:
    """Remove the folder that the scratch folders of one launcher lie in."""
    with suppress(OSError):
        for entry in list(os.scandir(base)):
            remove(entry.path)
        Path(base).rmdir()


def _empty(top: str) -> None:
    """Without recursion: what lies deeper is moved up, until nothing is left."""
    names = count()
    spare = f"{top}.removing"
    Path(spare).mkdir()
    _move_up(top, spare, names)
    while folders := list(Path(spare).iterdir()):
        for folder in folders:
            _move_up(str(folder), spare, names)
            folder.rmdir()
    Path(spare).rmdir()


def _move_up(folder: str, spare: str, names: "count[int]") -> None:
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            _open_up(entry.path)
            Path(entry.path).rename(f"{spare}/{next(names)}")
        else:
            Path(entry.path).unlink()


def _open_up(path: str) -> None:
    """Let ourselves into a folder, and touch nothing that a link in its place leads to."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(path, 0o700, follow_symlinks=False)  # noqa: PTH101 -- has no such option
        return
    opened = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY)
    try:
        Path(f"/proc/self/fd/{opened}").chmod(0o700)
    finally:
        os.close(opened)


def _walk(path: str) -> "Iterator[os.DirEntry[str]]":
    folders = [path]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        yield from entries
        folders += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]


def _measure(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * _BLOCK
    except OSError:
        return 0
