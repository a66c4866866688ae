"""From a registry's reference to a program on this machine, fetched once."""

import asyncio
import logging
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec.structs import replace

from agentevals.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.evaluator import folders, index, lock, names
from agentevals.evaluator.catalogue import Registry
from agentevals.evaluator.pin import Pin
from agentevals.evaluator.sources import EvaluatorSource, get_sources
from agentevals.evaluator.store import Store, default_root
from agentevals.seams import suggestion

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RemoteEvaluatorDef:
    """An evaluator that a registry has. What a lock says about it goes before all else."""

    name: str
    ref: str
    source: str = "github"
    threshold: float = 0.5
    timeout: float = 30
    config: dict[str, Any] = field(default_factory=dict)
    executor: str = "local"
    lock: Path | None = None


@dataclass(frozen=True, kw_only=True)
class CodeEvaluatorDef:
    """The same evaluator as a file."""

    name: str
    path: Path
    threshold: float = 0.5
    timeout: float = 30
    config: dict[str, Any] = field(default_factory=dict)
    executor: str = "local"


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """Where a program is now, what it is, and who answers for that: lock, index or nobody."""

    path: Path
    pin: Pin
    pinned_by: str = ""


class EvaluatorResolver:
    """Fetches evaluators into a store that all processes of this machine share."""

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._store = Store(cache_dir or default_root())
        self._own: list[EvaluatorSource] = []
        self._outcomes: dict[tuple[str, ...], Fetched | AgentEvalsError] = {}
        self._lock = Lock()

    def register_source(self, source: EvaluatorSource) -> None:
        """A source for this resolver only."""
        self._own.append(source)

    async def resolve(self, definition: RemoteEvaluatorDef) -> CodeEvaluatorDef:
        """The evaluator as a file of this machine, fetched if need be."""
        path = await asyncio.to_thread(self.fetch, definition)
        return CodeEvaluatorDef(
            name=definition.name,
            path=path,
            threshold=definition.threshold,
            timeout=definition.timeout,
            config=definition.config,
            executor=definition.executor,
        )

    def fetch(self, definition: RemoteEvaluatorDef) -> Path:
        """The program."""
        return self.obtain(definition).path

    def obtain(self, definition: RemoteEvaluatorDef) -> Fetched:
        """The program and what it is. Failures are remembered: a run asks per case."""
        key = _key(definition)
        with self._lock:
            if key not in self._outcomes:
                self._outcomes[key] = self._outcome(definition)
            outcome = self._outcomes[key]
        if isinstance(outcome, Fetched):
            return outcome
        msg = f"evaluator {definition.name!r}: {outcome}"
        raise type(outcome)(msg) from outcome

    def known(self, definition: RemoteEvaluatorDef) -> Pin | None:
        """What it is, as far as that can be said without asking anybody."""
        outcome = self._outcomes.get(_key(definition))
        if isinstance(outcome, Fetched):
            return outcome.pin
        try:
            return _locked(definition)
        except InputError:
            return None

    def problems(self, definition: RemoteEvaluatorDef) -> list[str]:
        """What is wrong with a reference, found without fetching anything."""
        try:
            source = self._source(definition.source)
            _locked(definition)
        except InputError as error:
            return [str(error)]
        return [source.problem] if source.problem else []

    def _source(self, name: str) -> EvaluatorSource:
        sources = {source.source_name: source for source in (*get_sources(), *self._own)}
        if name not in sources:
            msg = f"unknown evaluator source {name!r}{suggestion(name, list(sources))}"
            raise InputError(msg)
        return sources[name]

    def _outcome(self, definition: RemoteEvaluatorDef) -> Fetched | AgentEvalsError:
        try:
            return self._fetched(definition)
        except (InputError, UnavailableError) as error:
            return error
        except OSError as error:
            return UnavailableError(str(error))

    def _fetched(self, definition: RemoteEvaluatorDef) -> Fetched:
        source, ref = self._source(definition.source), definition.ref
        _check(ref)
        if source.problem:
            raise InputError(source.problem)
        pinned = _locked(definition)
        with self._store.alone(source.cache_key, ref):
            if not isinstance(source, Registry):
                return self._foreign(source, ref, pinned)
            if pinned:
                return self._as_locked(source, pinned)
            try:
                return self._newest(source, ref)
            except UnavailableError as error:
                return self._last_good(source, ref, error)

    def _as_locked(self, source: Registry, pin: Pin) -> Fetched:
        if pin.repository != source.repository:
            where = f"{source.repository}, and {lock.FILE} has it from {pin.repository}"
            msg = f"{pin.path} is looked for in {where}; correct one of them"
            raise InputError(msg)
        folder = self._store.folder(pin.files) or self._store.keep(source.contents(pin, lock.FILE))
        return Fetched(path=folder / pin.entrypoint, pin=pin, pinned_by="lock")

    def _newest(self, source: Registry, ref: str) -> Fetched:
        pin = source.resolve(ref)
        by = source.voucher if pin.files else ""
        place = (source.cache_key, pin.commit, pin.path)
        known = pin if pin.files else self._store.recall(*place)
        folder = self._store.folder(known.files) if known else None
        if known is None or folder is None:
            known, folder = self._kept(pin, source.contents(pin))
        self._store.remember(known, *place)
        self._store.remember(known, source.cache_key, ref)
        if not by:
            log.warning("%s is not pinned: no index gives its sha256; agentevals lock does", pin)
        return Fetched(path=folder / known.entrypoint, pin=known, pinned_by=by)

    def _last_good(self, source: EvaluatorSource, ref: str, error: UnavailableError) -> Fetched:
        pin = self._store.recall(source.cache_key, ref)
        folder = self._store.folder(pin.files) if pin else None
        if pin is None or folder is None:
            raise error
        log.warning("%s; %s, which was fetched before, is used", error, pin)
        return Fetched(path=folder / pin.entrypoint, pin=pin)

    def _kept(self, pin: Pin, contents: dict[str, bytes]) -> tuple[Pin, Path]:
        files = folders.digests_of(contents)
        known = replace(pin, files=files, sha256=index.digest(files))
        return known, self._store.keep(contents)

    def _foreign(self, source: EvaluatorSource, ref: str, pinned: Pin | None) -> Fetched:
        """Of a source that does not say what it hands out; kept until somebody deletes it."""
        pin = pinned or self._store.recall(source.cache_key, ref)
        folder = self._store.folder(pin.files) if pin else None
        if pin is None or folder is None:
            found = self._handed_out(source, ref)
            if isinstance(found, Fetched):
                return found
            place, contents = found
            repository = source.source_name
            pin = Pin(source=repository, repository=repository, path=ref, entrypoint=place)
            pin, folder = self._kept(pin, contents)
            self._store.remember(pin, source.cache_key, ref)
        if pinned and pinned.files != pin.files:
            wrong = "; ".join(folders.differences(pinned.files, pin.files))
            msg = f"{ref} is not what {lock.FILE} says: {wrong}"
            raise InputError(msg)
        return Fetched(path=folder / pin.entrypoint, pin=pin, pinned_by="lock" if pinned else "")

    def _handed_out(
        self, source: EvaluatorSource, ref: str
    ) -> Fetched | tuple[str, dict[str, bytes]]:
        with tempfile.TemporaryDirectory() as staging:
            dest = Path(staging) / "new" / ref.rpartition("/")[2]
            dest.parent.mkdir()
            found: object = asyncio.run(source.fetch_evaluator(ref, dest))
            if isinstance(found, Path) and not found.is_relative_to(staging):
                name = source.source_name
                own = Pin(source=name, repository=name, path=ref, entrypoint=found.name)
                return Fetched(path=found, pin=own)
            if not isinstance(found, Path) or not found.is_file():
                what = f"gave no file for {ref!r}; correct its fetch_evaluator"
                msg = f"source {source.source_name!r} {what}"
                raise InputError(msg)
            return found.relative_to(dest.parent).as_posix(), _contents(dest.parent)


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def _key(definition: RemoteEvaluatorDef) -> tuple[str, ...]:
    return definition.source, definition.ref, str(definition.lock or "")


def _check(ref: str) -> None:
    try:
        names.check(ref)
    except ValueError as error:
        msg = f"ref {ref!r} {error}"
        raise InputError(msg) from error


def _locked(definition: RemoteEvaluatorDef) -> Pin | None:
    """What the lock says; InputError where there is a lock and it says nothing."""
    found = lock.read(definition.lock) if definition.lock else None
    if found is None:
        return None
    pin = found.find(definition.source, definition.ref)
    if pin is None:
        msg = f"{definition.ref!r} is not in {definition.lock}; run 'agentevals lock' to add it"
        raise InputError(msg)
    return pin


@cache
def get_default_resolver() -> EvaluatorResolver:
    """The resolver of a run. It sees every source, also those registered later."""
    return EvaluatorResolver()
