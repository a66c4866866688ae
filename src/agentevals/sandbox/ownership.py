"""Folders that a program of another user may write to, and that are ours again afterwards."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def lent(folders: Sequence[Path]) -> Iterator[None]:
    """The launcher's child gives them away; take them back, whatever became of the program."""
    owners = {folder: folder.stat() for folder in folders}
    try:
        yield
    finally:
        for folder, owner in owners.items():
            if folder.stat().st_uid != owner.st_uid:
                _own(folder, owner.st_uid, owner.st_gid)


def _own(top: Path, user: int, group: int) -> None:
    for folder, _, files in os.walk(top):
        os.chown(folder, user, group)
        for name in files:
            os.chown(Path(folder, name), user, group, follow_symlinks=False)
