"""One evaluator from one source into the store: as a lock says, or else the newest there is."""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from agentevals.evaluator import folders, index, lock
from agentevals.evaluator.catalogue import Registry
from agentevals.evaluator.lock import Pin
from agentevals.evaluator.sources import EvaluatorSource
from agentevals.evaluator.store import Store
from agentevals.model.errors import InputError, UnavailableError

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A fetched program, its pin, and the source of that pin: lock, index, cache, nobody."""

    path: Path
    pin: Pin
    pinned_by: str = ""


def fetch(store: Store, source: EvaluatorSource, ref: str, locked: Pin | None) -> Fetched:
    """Fetch the program that a reference stands for."""
    with store.alone(source.cache_key, ref):
        if not isinstance(source, Registry):
            return _fetch_foreign(store, source, ref, locked)
        if locked:
            return _fetch_locked(store, source, locked)
        try:
            return _fetch_newest(store, source, ref)
        except UnavailableError as error:
            return _reuse_last(store, source, ref, error)


def _fetch_locked(store: Store, source: Registry, pin: Pin) -> Fetched:
    if pin.repository != source.repository:
        where = f"{source.repository}, and {lock.FILE} has it from {pin.repository}"
        msg = f"{pin.path} is looked for in {where}; correct one of them"
        raise InputError(msg)
    folder = store.find_folder(pin.files) or store.keep(source.fetch_contents(pin, lock.FILE))
    return Fetched(path=folder / pin.entrypoint, pin=pin, pinned_by="lock")


def _fetch_newest(store: Store, source: Registry, ref: str) -> Fetched:
    pin = source.resolve(ref)
    place = (source.cache_key, pin.commit, pin.path)
    known = pin if pin.files else store.recall(*place)
    folder = store.find_folder(known.files) if known else None
    if known is None or folder is None:
        known, folder = _keep(store, pin, source.fetch_contents(pin))
    store.remember(known, *place)
    store.remember(known, source.cache_key, ref)
    if not pin.files:
        log.warning("%s is not pinned: no index gives its sha256; agentevals lock does", pin)
    by = source.voucher if pin.files else ""
    return Fetched(path=folder / known.entrypoint, pin=known, pinned_by=by)


def _reuse_last(
    store: Store, source: EvaluatorSource, ref: str, error: UnavailableError
) -> Fetched:
    found = _recall(store, source, ref)
    if found is None:
        raise error
    log.warning("%s; %s, which was fetched before, is used", error, found.pin)
    return found


def _recall(store: Store, source: EvaluatorSource, ref: str) -> Fetched | None:
    pin = store.recall(source.cache_key, ref)
    folder = store.find_folder(pin.files) if pin else None
    if pin is None or folder is None:
        return None
    return Fetched(path=folder / pin.entrypoint, pin=pin, pinned_by="cache")


def _keep(store: Store, pin: Pin, contents: dict[str, bytes]) -> tuple[Pin, Path]:
    files = folders.compute_digests(contents)
    return replace(pin, files=files, sha256=index.digest(files)), store.keep(contents)


def _fetch_foreign(store: Store, source: EvaluatorSource, ref: str, locked: Pin | None) -> Fetched:
    """Fetch from a source without digests; the program is kept until somebody deletes it."""
    if locked is None:
        return _recall(store, source, ref) or _ask_source(store, source, ref)
    if folder := store.find_folder(locked.files):
        return Fetched(path=folder / locked.entrypoint, pin=locked, pinned_by="lock")
    found = _ask_source(store, source, ref)
    if wrong := folders.list_differences(locked.files, found.pin.files):
        msg = f"{ref} is not what {lock.FILE} says: {'; '.join(wrong)}"
        raise InputError(msg)
    return Fetched(path=found.path, pin=found.pin, pinned_by="lock")


def _ask_source(store: Store, source: EvaluatorSource, ref: str) -> Fetched:
    with tempfile.TemporaryDirectory() as staging:
        dest = Path(staging) / "new" / ref.rpartition("/")[2]
        dest.parent.mkdir()
        given: object = asyncio.run(source.fetch_evaluator(ref, dest))
        name = source.source_name
        if not isinstance(given, Path) or not given.is_file():
            msg = f"source {name!r} gave no file for {ref!r}; correct its fetch_evaluator"
            raise InputError(msg)
        pin = Pin(source=name, repository=name, path=ref, entrypoint=given.name)
        if not given.is_relative_to(staging):
            files = folders.compute_digests({given.name: given.read_bytes()})
            return Fetched(path=given, pin=replace(pin, files=files, sha256=index.digest(files)))
        place = given.relative_to(dest.parent).as_posix()
        handed_out = _read_files(dest.parent)
    about = f"{name}: {ref}"
    contents = {each: handed_out[each] for each in folders.drop_compiled(handed_out, about=about)}
    folders.check(contents, about=about)
    pin, folder = _keep(store, replace(pin, entrypoint=place), contents)
    store.remember(pin, source.cache_key, ref)
    return Fetched(path=folder / pin.entrypoint, pin=pin)


def _read_files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
