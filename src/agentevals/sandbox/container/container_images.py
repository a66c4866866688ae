"""The image that a program runs in: the named one, or that of its language, by its digest."""

import os
import sys
from dataclasses import dataclass
from pathlib import PurePath

from agentevals.model.errors import UnavailableError
from agentevals.sandbox.container.container_engine import Engine, EngineError

_OF_NODE = "node:24-slim"
_NODE = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"})


@dataclass(frozen=True)
class Image:
    """An image that the engine has. It is used by its id, so that it is the one reported."""

    id: str
    name: str

    def __str__(self) -> str:
        return self.name


def choose_image(program: PurePath) -> str:
    """Return the usual image for a program; Python's has a shell as well."""
    if program.suffix.lower() in _NODE:
        return _OF_NODE
    return "python:{}.{}-slim".format(*sys.version_info)


def provide(engine: Engine, named: str) -> Image:
    """Return the image of that name, fetched if the engine has none, or an UnavailableError."""
    try:
        return _inspect(engine, named)
    except EngineError as error:
        if not error.is_missing:
            raise
    if os.environ.get("AGENTEVALS_OFFLINE"):
        msg = f"cannot be started: this run is offline, and the engine has no image {named!r}"
        raise UnavailableError(msg)
    try:
        engine.pull(named if ":" in named.rpartition("/")[2] else f"{named}:latest")
        return _inspect(engine, named)
    except EngineError as error:
        msg = f"cannot be started: the image {named!r} cannot be pulled: {error}"
        raise UnavailableError(msg) from error


def _inspect(engine: Engine, named: str) -> Image:
    found = engine.ask("GET", f"/images/{named}/json")
    digests = [digest.rpartition("@")[2] for digest in found.get("RepoDigests") or ()]
    digest = digests[0] if digests else found["Id"]
    return Image(found["Id"], f"{named.partition('@')[0]}@{digest}")
