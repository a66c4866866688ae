"""Files that smoke runs keep between commands: locks of packages, and results."""

from contextlib import suppress
from pathlib import Path

from agentevals.files import atomic


def keep(kind: str, name: str, content: bytes) -> Path:
    """Keep a file of the cache with this content."""
    path = find_root() / kind / name
    if find(kind, name) == content:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write(path, content)
    return path


def find(kind: str, name: str) -> bytes | None:
    """Return the content of a file of the cache, None when there is none."""
    with suppress(OSError):
        return (find_root() / kind / name).read_bytes()
    return None


def find_root() -> Path:
    return atomic.find_user_cache() / "smoke"
