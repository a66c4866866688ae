"""The stand-in for GitHub in a place, and the registries that it has."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import forked
from tests.frozen.place import Files, Place, snapshot, write
from tests.stand_in.server import StandIn, running


@contextmanager
def reached(place: Place) -> Iterator[StandIn]:
    """GitHub on loopback; its addresses are masked."""
    with running() as stand_in:
        place.masks[stand_in.root.removeprefix("http://")] = "<github>"
        place.masks[stand_in.storage.removeprefix("http://")] = "<storage>"
        place.environ |= stand_in.environ
        yield stand_in


def offer(place: Place, stand_in: StandIn, name: str, files: Files) -> None:
    """A registry with its index, as GitHub has it."""
    folder = place.folder / "registry"
    write(folder, files)
    git(place, folder, "init", "--quiet", "--initial-branch=main")
    tip = commit(place, folder)
    forked.run(
        "agentevals", ("registry", "index"), cwd=folder, env=place.environ
    ).check_returncode()
    repository = stand_in.world.repository(name)
    repository.commits["main"] = tip
    repository.files[tip] = snapshot(folder)
    shutil.rmtree(folder)


def offer_everywhere(place: Place, stand_in: StandIn, files: Files) -> None:
    """The same registry under both names that a run with default settings looks for."""
    for name in ("agentevals-dev/evaluators", "OWNER/agentevals-action"):
        offer(place, stand_in, name, files)
    place.environ["AGENTEVALS_API_URL"] = stand_in.url


def git(place: Place, folder: Path, *words: str) -> bytes:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], env=place.environ, capture_output=True, check=True
    )
    return done.stdout


def commit(place: Place, folder: Path) -> str:
    """All files of a folder, in a new commit; the same files and parents give the same hash."""
    git(place, folder, "add", "--all", "--force", ".")
    git(place, folder, "commit", "--quiet", "--allow-empty", "--message", "A change")
    return git(place, folder, "rev-parse", "HEAD").decode().strip()
