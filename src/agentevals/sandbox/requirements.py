"""The lines of a `requirements.txt`, and the files beside it that it refers to."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agentevals.model.errors import EvaluatorError

_MOST = 1 << 20
_NAMED = re.compile(r"[A-Za-z0-9][\w.-]*\s*(\[[\w., -]*\])?\s*([<>=!~][^@$/\\]*)?(;[^@$/\\]*)?")
_INCLUDING = frozenset({"-r", "--requirement", "-c", "--constraint"})
_ARCHIVE = re.compile(
    r"\.(whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lzma|zst)\s*(\[|;|$)", re.IGNORECASE
)


def read_lines(requirements: Path) -> Iterator[str]:
    """The requirements, those of included files too, without comments. Each file is read once."""
    waiting = [requirements]
    seen = {_resolve(requirements)}
    while waiting:
        path = waiting.pop()
        for line in filter(None, (raw.partition(" #")[0].strip() for raw in _read(path))):
            if line.startswith("#"):
                continue
            yield line
            option, _, name = line.partition(" ")
            included = path.parent / name.strip()
            if option in _INCLUDING and (real := _resolve(included)) not in seen:
                seen.add(real)
                waiting.append(included)


def _resolve(path: Path) -> str:
    """Its one name: of links and `..` there are any number of others."""
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL, which reading it will complain about
        return str(path)


def _read(requirements: Path) -> list[str]:
    try:
        if not _is_small(requirements):
            msg = f"{requirements} cannot be read: it is no file of at most {_MOST >> 20} MiB"
            raise EvaluatorError(msg)
        return requirements.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        msg = f"{requirements} cannot be read: {error}"
        raise EvaluatorError(msg) from error


def _is_small(path: Path) -> bool:
    """Not a pipe or a device either, which would be read for ever."""
    found = path.stat()
    return stat.S_ISREG(found.st_mode) and found.st_size <= _MOST


def is_local(line: str) -> bool:
    """Return whether a line may be a file or an option, and not just a package of an index."""
    return not _NAMED.fullmatch(line) or bool(_ARCHIVE.search(line))


@cache
def hash_content(folder: Path) -> str:
    """A hash of all that an installer may read there; as it was when this run first asked."""
    digest = hashlib.sha256()
    for path in _list_files(folder):
        digest.update(f"{path.relative_to(folder)}\0".encode(errors="surrogateescape"))
        try:
            # opening a pipe would wait for ever, and what a link names elsewhere is not readable
            if stat.S_ISREG(path.stat().st_mode) and path.resolve().is_relative_to(folder):
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError:
            continue  # the installer cannot read it either
    return digest.hexdigest()


def _list_files(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        if Path(where) == folder:
            folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in sorted(files))
