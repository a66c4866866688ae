"""Everything that decides what a program prints: its order, its input, and all that it may read."""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from agentevals.model.version import VERSION
from agentevals.sandbox.launcher import Order

_SDK = "agentevals_evaluator_sdk"
_COMPILED = "__pycache__"
_MOST_FILES, _MOST_BYTES = 5_000, 64 * 2**20  # of a folder; more of it is not looked through


class TooMuchError(Exception):
    """A folder has more in it than is worth reading for a program."""


def describe_surroundings(
    order: Order, stdin: bytes, packages: Sequence[Path], isolation: str, aside: str
) -> bytes | None:
    """Return what the output of a program depends on; None if it has too much to read.

    The folder `aside` does not count.
    """
    folders = dict.fromkeys(filter(None, (order.folder, order.works_in, *order.readable)))
    installed = {str(folder.absolute()) for folder in packages}
    try:
        content = [
            _list_packages(path)
            if path in installed
            else _digest_tree(path, (*order.closed, aside))
            for path in folders
        ]
    except TooMuchError:
        return None
    parts: list[Any] = [_describe_tool(), isolation, vars(order), content]
    if not order.script:
        parts.append(_describe_file(order.argv[0]))
    head = msgspec.msgpack.encode(parts, order="deterministic")
    return hashlib.sha256(head).digest() + stdin


@cache
def _describe_tool() -> list[str]:
    """Return this version with its SDK, and the interpreter that it runs scripts with."""
    spec = find_spec(_SDK)
    home = str(Path(spec.origin).parent) if spec and spec.origin else ""
    return [VERSION, sys.version, sys.executable, *_digest_tree(home, ())]


def _describe_file(path: str) -> list[Any]:
    found = os.stat(path)  # noqa: PTH116 -- a word of a command
    return [path, found.st_size, found.st_mtime_ns]


@cache
def _list_packages(folder: str) -> list[str]:
    """Return the installed packages with their versions."""
    return sorted(path.name for path in Path(folder).rglob("*.dist-info"))


@cache
def _digest_tree(top: str, closed: tuple[str, ...]) -> list[str]:
    """Return one digest of the names and the content of all that may be read below a path."""
    digest, files, size = hashlib.sha256(), 0, 0
    for name, told in _walk(top, frozenset(closed)):
        files, size = files + 1, size + len(told)
        if files > _MOST_FILES or size > _MOST_BYTES:
            raise TooMuchError
        digest.update(hashlib.sha256(name.encode(errors="surrogateescape")).digest())
        digest.update(hashlib.sha256(told).digest())
    return [digest.hexdigest()]


def _walk(top: str, closed: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Yield each path with its content, in an order that is the same everywhere."""
    waiting = [Path(top)]
    while waiting:
        path = waiting.pop()
        if str(path) in closed or path.name == _COMPILED:
            continue
        name = str(path.relative_to(top))
        try:
            if path.is_symlink() and str(path) != top:
                yield name, b"link " + os.fsencode(path.readlink())
            elif path.is_dir():
                waiting += sorted(path.iterdir(), reverse=True)
            elif path.is_file():
                yield name, _read(path)
        except OSError as error:
            yield name, f"unreadable {error.errno}".encode()


def _read(path: Path) -> bytes:
    found = path.stat()
    if found.st_size > _MOST_BYTES:
        raise TooMuchError
    return (b"run " if found.st_mode & 0o111 else b"file ") + path.read_bytes()
