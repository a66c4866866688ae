"""Answers kept on disk, so that the same question is paid for once. Neither keys nor prompts."""

import hashlib
import logging
import os
from pathlib import Path
from typing import Any

import msgspec

from agentevals.files import atomic

log = logging.getLogger(__name__)

_LARGEST = 1_000_000


def default_directory() -> Path:
    """Return the folder for caches on this machine."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    home = given if given.is_absolute() else Path.home() / ".cache"
    return home / "agentevals" / "judge"


def digest(*parts: Any) -> str:
    """A name for a question that only the very same question has."""
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


class AnswerCache:
    """One small file per answer, readable by its owner. A cache that fails costs money, no run."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def get(self, name: str) -> Any:
        """Return the cached answer of this name, or None. Somebody may have changed the file."""
        if self._directory is None:
            return None
        path = self._path(name)
        try:
            if path.stat().st_size > _LARGEST:
                return None
            return msgspec.json.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError, RecursionError):
            return None

    def put(self, name: str, answer: dict[str, Any]) -> None:
        if self._directory is None:
            return
        try:
            path = self._path(name)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic.write(path, msgspec.json.encode(answer))
        except OSError as error:
            log.warning("%s: judge answers are not kept: %s", self._directory, error.strerror)
            self._directory = None

    def _path(self, name: str) -> Path:
        directory = self._directory or Path()
        return directory / name[:2] / f"{name}.json"
