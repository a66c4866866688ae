"""References of registries become programs on this machine, fetched once."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock

from agentevals.evaluator import lock, names
from agentevals.evaluator.catalogue import Registry
from agentevals.evaluator.fetching import Fetched, fetch
from agentevals.evaluator.lock import Pin, drop_compiled
from agentevals.evaluator.sources import EvaluatorSource, get_sources
from agentevals.evaluator.store import Store, find_default_root
from agentevals.model.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.model.plugins import suggestion


@dataclass(frozen=True, kw_only=True)
class RemoteEvaluatorDef:
    """An evaluator of a registry. A lock takes precedence over the index."""

    name: str
    ref: str
    source: str = "github"
    lock: Path | None = None


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
            locked = _read_lock(definition)
            return drop_compiled(locked) if locked else None
        except InputError:
            return None

    def problems(self, definition: RemoteEvaluatorDef) -> list[str]:
        """Return the problems of a reference without fetching anything."""
        try:
            source = self._find_source(definition.source)
            _read_lock(definition)
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
        locked = _read_lock(definition)
        if locked:
            locked = drop_compiled(locked, about=f"{definition.lock}: {ref}")
        return fetch(self._store, source, ref, locked)


def _build_key(definition: RemoteEvaluatorDef) -> tuple[str, ...]:
    return definition.source, definition.ref, str(definition.lock or "")


def _check(ref: str) -> None:
    try:
        names.check(ref)
    except ValueError as error:
        msg = f"ref {ref!r} {error}"
        raise InputError(msg) from error


def _read_lock(definition: RemoteEvaluatorDef) -> Pin | None:
    """Return the locked pin; InputError where a lock exists without this reference."""
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
    """Return the resolver of a run. It sees every source, also those registered later."""
    return EvaluatorResolver()


@dataclass(frozen=True, kw_only=True)
class Change:
    """A reference whose pin is new or changed."""

    ref: str
    before: Pin | None
    after: Pin


def update_lock(
    path: Path, wanted: Iterable[RemoteEvaluatorDef], resolver: EvaluatorResolver, *, update: bool
) -> tuple[lock.Lock, list[Change]]:
    """Return the new lock and the changes. Known pins stay unless `update` is given."""
    old = lock.read(path) or lock.Lock()
    found: list[Change] = []
    for definition in wanted:
        before = old.find(definition.source, definition.ref)
        if before is None or update:
            after = resolver.obtain(replace(definition, lock=None)).pin
            found.append(Change(ref=definition.ref, before=before, after=after))
    new = old.merge(lock.Locked(ref=change.ref, pin=change.after) for change in found)
    return new, [change for change in found if change.before != change.after]
