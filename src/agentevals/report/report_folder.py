"""The report folder: in a checkout that we did not make, so that no link in it is followed."""

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from agentevals.files import atomic_files
from agentevals.model.results import Finding, Severity
from agentevals.model.review import Review
from agentevals.report.outputs import FILES

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Written(NamedTuple):
    """The files that are there now, and why others are not."""

    paths: list[Path]
    problems: list[Finding]


def write(
    folder: Path,
    review: Review,
    *,
    within: Path | None = None,
    beside: Mapping[str, Path] | None = None,
) -> Written:
    """Every file, whole or not at all. One that cannot be written costs only itself.

    `within` is the folder that must not be left, not even through a link; without it the
    folder itself may not be a link. Files `beside` the report are copied into it.
    """
    written = Written([], [])
    try:
        opened = open_folder(folder, within)
    except OSError as error:
        written.problems.append(_problem(folder, error))
        return written
    with opened:
        for name in FILES:
            output = FILES[name]
            try:
                opened.write(output.FILE, output.render(review))
                written.paths.append(folder / output.FILE)
            except OSError as error:
                written.problems.append(_problem(folder / output.FILE, error))
    for place, file in ((folder / name, file) for name, file in (beside or {}).items()):
        try:
            with open_folder(place.parent, within or folder) as opened:
                opened.write_bytes(place.name, [file.read_bytes()])
                written.paths.append(place)
        except OSError as error:
            written.problems.append(_problem(place, error))
    return written


def _problem(path: Path, error: OSError) -> Finding:
    why = (error.strerror or str(error)).lower()
    message = f"cannot be written: {why}; name another report-dir, or make room"
    return Finding(severity=Severity.WARNING, rule="report-file", message=message, path=str(path))


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
        self.write_bytes(name, (piece.encode() for piece in pieces))

    def write_bytes(self, name: str, pieces: Iterable[bytes]) -> None:
        self._refuse_links(name)
        with atomic_files.replacement(Path(name), mode=0o644, folder=self._folder) as file:
            _give(file.fileno(), self._folder)
            file.writelines(pieces)

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
        descriptor = _enter(descriptor, part)
    return OpenFolder(descriptor)


def _enter(parent: int, name: str) -> int:
    """The descriptor of a folder in another, which is closed."""
    try:
        made = _make_folder(parent, name)
        folder = os.open(name, _FOLDER, dir_fd=parent)
        if made:
            _give(folder, parent)
        return folder
    finally:
        os.close(parent)


def _make_folder(parent: int, name: str) -> bool:
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def _give(new: int, folder: int) -> None:
    """Hand the file to the owner of the folder around it, who has to delete it later."""
    if os.geteuid() == 0:
        owner = os.fstat(folder)
        os.fchown(new, owner.st_uid, owner.st_gid)
