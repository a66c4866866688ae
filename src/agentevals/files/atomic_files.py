"""Files that are replaced whole: a reader finds the old content or the new, never half of it.

And texts that a command writes for its user, and the folder for files that can be made again.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from agentevals.model.errors import InputError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
if hasattr(os, "O_NOFOLLOW"):
    _NEW |= os.O_NOFOLLOW | os.O_CLOEXEC
else:  # Windows, where O_EXCL alone follows no link
    _NEW |= getattr(os, "O_BINARY", 0)


def write(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace a file, or leave it as it was. A link of that name is replaced, not followed."""
    with replacement(path, mode=mode) as file:
        file.write(content)


@contextmanager
def replacement(path: Path, *, mode: int, folder: int | None = None) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of `path` once the block ends without an error.

    With `folder`, an open descriptor, the path is relative to that folder.
    """
    beside = path.with_name(f".new-{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(beside, _NEW, mode, dir_fd=folder), "wb") as file:
            yield file
        os.replace(beside, path, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with suppress(OSError):
            os.unlink(beside, dir_fd=folder)


def write_text(path: Path, text: str) -> None:
    """Write a text, with the folder it lies in; InputError says why that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}"
        raise InputError(msg) from None


def find_user_cache() -> Path:
    """Return our folder in the user's cache; as XDG says, a relative XDG_CACHE_HOME is ignored."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "agentevals"
