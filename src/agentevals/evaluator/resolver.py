"""References of registries become programs on this machine, fetched once."""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from msgspec import structs

from agentevals.evaluator import evaluator_files, evaluator_lock, evaluator_names
from agentevals.evaluator.evaluator_lock import Pin, RemoteEvaluatorDef, drop_compiled
from agentevals.evaluator.evaluator_store import Store, find_default_root
from agentevals.evaluator.publication_age import Age
from agentevals.evaluator.registry_catalogue import Registry
from agentevals.evaluator.registry_head import Memory
from agentevals.evaluator.sources import EvaluatorSource, get_sources
from agentevals.model.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.model.plugins import suggestion

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A fetched program, its pin, and the source of that pin: lock, index, cache, nobody."""

    path: Path
    pin: Pin
    pinned_by: str = ""


def fetch(
    store: Store, source: EvaluatorSource, ref: str, locked: Pin | None, age: Age | None = None
) -> Fetched:
    """Fetch the program that a reference stands for."""
    with store.alone(source.cache_key, ref):
        if not isinstance(source, Registry):
            if age and not locked:
                name = source.source_name
                msg = f"source {name!r} does not say how old {ref!r} is; remove 'min_age'"
                raise InputError(msg)
            return _fetch_unlisted(store, source, ref, locked)
        if locked:
            return _fetch_locked(store, source, locked)
        try:
            return _fetch_newest(store, source, ref, age)
        except UnavailableError as error:
            found = _recall(store, source, *_name_reference(ref, age))
            if found is None:
                raise
            level = logging.DEBUG if str(error) in source.troubles else logging.WARNING
            source.troubles.add(str(error))
            log.log(level, "%s; %s, which was fetched before, is used", error, found.pin)
            return found


def _fetch_locked(store: Store, source: Registry, pin: Pin) -> Fetched:
    if pin.repository != source.repository:
        where = f"{source.repository}, and {evaluator_lock.FILE} has it from {pin.repository}"
        msg = f"{pin.path} is looked for in {where}; correct one of them"
        raise InputError(msg)
    folder = store.find_folder(pin.files) or store.keep(
        source.fetch_contents(pin, evaluator_lock.FILE)
    )
    return Fetched(path=folder / pin.entrypoint, pin=pin, pinned_by="lock")


def _name_reference(ref: str, age: Age | None) -> list[str]:
    """Return what a fetched pin is remembered under: another age may mean another version."""
    return [ref, str(age)] if age else [ref]


def _fetch_newest(store: Store, source: Registry, ref: str, age: Age | None) -> Fetched:
    pin = source.resolve(ref, age)
    place = (source.cache_key, pin.commit, pin.path)
    known = pin if pin.files else store.recall(*place)
    folder = store.find_folder(known.files) if known else None
    if known is None or folder is None:
        known, folder = _keep(store, pin, source.fetch_contents(pin))
    store.remember(known, *place)
    store.remember(known, source.cache_key, *_name_reference(ref, age))
    if not pin.files:
        log.warning("%s is not pinned: no index gives its sha256; agentevals lock does", pin)
    by = source.voucher if pin.files else ""
    return Fetched(path=folder / known.entrypoint, pin=known, pinned_by=by)


def _recall(store: Store, source: EvaluatorSource, *ref: str) -> Fetched | None:
    pin = store.recall(source.cache_key, *ref)
    folder = store.find_folder(pin.files) if pin else None
    if pin is None or folder is None:
        return None
    return Fetched(path=folder / pin.entrypoint, pin=pin, pinned_by="cache")


def _keep(store: Store, pin: Pin, contents: dict[str, bytes]) -> tuple[Pin, Path]:
    return pin.add_files(evaluator_files.compute_digests(contents)), store.keep(contents)


def _fetch_unlisted(store: Store, source: EvaluatorSource, ref: str, locked: Pin | None) -> Fetched:
    """Fetch from a source without digests; the program is kept until somebody deletes it."""
    if locked is None:
        return _recall(store, source, ref) or _ask_source(store, source, ref)
    if folder := store.find_folder(locked.files):
        return Fetched(path=folder / locked.entrypoint, pin=locked, pinned_by="lock")
    found = _ask_source(store, source, ref)
    if wrong := evaluator_files.list_differences(locked.files, found.pin.files):
        msg = f"{ref} is not what {evaluator_lock.FILE} says: {'; '.join(wrong)}"
        raise UnavailableError(msg)
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
            files = evaluator_files.compute_digests({given.name: given.read_bytes()})
            return Fetched(path=given, pin=pin.add_files(files))
        place = given.relative_to(dest.parent).as_posix()
        handed_out = _read_files(dest.parent)
    about = f"{name}: {ref}"
    contents = {
        each: handed_out[each] for each in evaluator_files.drop_compiled(handed_out, about=about)
    }
    evaluator_files.check(contents, about=about)
    pin, folder = _keep(store, structs.replace(pin, entrypoint=place), contents)
    store.remember(pin, source.cache_key, ref)
    return Fetched(path=folder / pin.entrypoint, pin=pin)


def _read_files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


class EvaluatorResolver:
    """Fetches evaluators into a store that all processes of this machine share."""

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._store = Store(cache_dir or find_default_root())
        self._own: list[EvaluatorSource] = []
        self._outcomes: dict[tuple[str, ...], Fetched | AgentEvalsError] = {}
        self._registries: dict[str, Registry] = {}
        self._lock = Lock()

    def register_source(self, source: EvaluatorSource) -> None:
        """Add a source to this resolver only."""
        self._own.append(source)

    def fetch(self, definition: RemoteEvaluatorDef) -> Path:
        """Return the program as a file of this machine, fetched if need be."""
        return self.obtain(definition).path

    def obtain(self, definition: RemoteEvaluatorDef) -> Fetched:
        """Return the program and its pin. Failures are remembered: a run asks per case."""
        key = _build_key(definition)
        with self._lock:
            if key not in self._outcomes:
                self._outcomes[key] = self._try_fetch(definition)
            outcome = self._outcomes[key]
        if isinstance(outcome, Fetched):
            return outcome
        msg = f"evaluator {definition.name!r}: {outcome}"
        raise type(outcome)(msg) from outcome

    def find_known(self, definition: RemoteEvaluatorDef) -> Pin | None:
        """Return the pin if it is known without asking a source."""
        outcome = self._outcomes.get(_build_key(definition))
        if isinstance(outcome, Fetched):
            return outcome.pin
        try:
            locked = evaluator_lock.find_pin(definition)
            return drop_compiled(locked) if locked else None
        except InputError:
            return None

    def find_signer(self, definition: RemoteEvaluatorDef) -> str:
        """Return who signed the index that a reference was found in, or nothing."""
        source = self._find_source(definition.source)
        return source.current.signer if isinstance(source, Registry) else ""

    def list_memories(self, definition: RemoteEvaluatorDef) -> list[Memory]:
        """Return what this machine has seen of the registry of a reference."""
        source = self._find_source(definition.source)
        return source.list_memories() if isinstance(source, Registry) else []

    def problems(self, definition: RemoteEvaluatorDef) -> list[str]:
        """Return the problems of a reference without fetching anything."""
        try:
            source = self._find_source(definition.source)
            evaluator_lock.find_pin(definition)
        except InputError as error:
            return [str(error)]
        return [source.problem] if source.problem else []

    def _find_source(self, name: str) -> EvaluatorSource:
        sources = {source.source_name: source for source in (*get_sources(), *self._own)}
        if name not in sources:
            msg = f"unknown evaluator source {name!r}{suggestion(name, list(sources))}"
            raise InputError(msg)
        source = sources[name]
        if source.problem or not isinstance(source, Registry):
            return source
        return self._registries.setdefault(source.cache_key, source)

    def _try_fetch(self, definition: RemoteEvaluatorDef) -> Fetched | AgentEvalsError:
        try:
            return self._fetch(definition)
        except (InputError, UnavailableError) as error:
            return error
        except OSError as error:
            return UnavailableError(str(error))

    def _fetch(self, definition: RemoteEvaluatorDef) -> Fetched:
        source, ref = self._find_source(definition.source), definition.ref
        _check(ref)
        if source.problem:
            raise InputError(source.problem)
        locked = evaluator_lock.find_pin(definition)
        if locked:
            locked = drop_compiled(locked, about=f"{definition.lock}: {ref}")
        return fetch(self._store, source, ref, locked, definition.age)


def _build_key(definition: RemoteEvaluatorDef) -> tuple[str, ...]:
    age = str(definition.age or "")
    return definition.source, definition.ref, str(definition.lock or ""), age


def _check(ref: str) -> None:
    try:
        evaluator_names.check(ref)
    except ValueError as error:
        msg = f"ref {ref!r} {error}"
        raise InputError(msg) from error


@cache
def get_default_resolver() -> EvaluatorResolver:
    """Return the resolver of a run. It sees every source, also those registered later."""
    return EvaluatorResolver()
