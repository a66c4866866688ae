"""What smoke runs keep between commands: locks of packages, and entries that had no error."""

import os
from contextlib import suppress
from pathlib import Path

from agentevals.files import atomic


def kept(kind: str, name: str, content: bytes) -> Path:
    """A file of the cache with this content; written whole, or not at all."""
    path = root() / kind / name
    if found(kind, name) == content:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, content)
    return path


def found(kind: str, name: str) -> bytes | None:
    """What a file of the cache says, None when there is none."""
    with suppress(OSError):
        return (root() / kind / name).read_bytes()
    return None


def root() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "agentevals" / "smoke"
