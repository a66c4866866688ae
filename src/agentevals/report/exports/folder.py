"""A folder of a checkout that we did not make: written to without following a link in it."""

import os
import stat
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from agentevals.files import atomic

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OpenFolder(AbstractContextManager["OpenFolder"]):
    """Held by its descriptor, so that nobody can put another in its place meanwhile."""

    def __init__(self, descriptor: int) -> None:
        self._folder = descriptor

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._folder)

    def write(self, name: str, pieces: Iterable[str]) -> None:
        """The file is there whole, or as it was before."""
        self._refuse_links(name)
        with atomic.replacement(Path(name), mode=0o644, folder=self._folder) as file:
            _give(file.fileno(), self._folder)
            file.writelines(piece.encode() for piece in pieces)

    def _refuse_links(self, name: str) -> None:
        try:
            mode = os.stat(name, dir_fd=self._folder, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISREG(mode):
            msg = "there is a link, a folder or a device of that name"
            raise OSError(msg)


def open_folder(folder: Path, within: Path | None = None) -> OpenFolder:
    """The folder, made where it is missing. An OSError says what stands in the way."""
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 -- resolve() would follow links
    anchor = Path(os.path.abspath(within)) if within else folder.parent  # noqa: PTH100
    if not folder.is_relative_to(anchor):
        msg = f"it is outside of {anchor}"
        raise OSError(msg)
    if not within:
        anchor.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(anchor, _FOLDER & ~os.O_NOFOLLOW)
    for part in folder.relative_to(anchor).parts:
        descriptor = _entered(descriptor, part)
    return OpenFolder(descriptor)


def _entered(parent: int, name: str) -> int:
    """The descriptor of a folder in another, which is closed."""
    try:
        made = _made(parent, name)
        folder = os.open(name, _FOLDER, dir_fd=parent)
        if made:
            _give(folder, parent)
        return folder
    finally:
        os.close(parent)


def _made(parent: int, name: str) -> bool:
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _give(new: int, folder: int) -> None:
    """What root makes belongs to whom the folder around it belongs to, who has to delete it."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(new, owner.st_uid, owner.st_gid)
