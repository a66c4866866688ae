"""From a registry's reference to a program on this machine, fetched once."""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from agentevals.evaluator import lock, names
from agentevals.evaluator.catalogue import Registry
from agentevals.evaluator.fetching import Fetched, fetch
from agentevals.evaluator.pin import Pin, readable
from agentevals.evaluator.sources import EvaluatorSource, get_sources
from agentevals.evaluator.store import Store, default_root
from agentevals.model.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.model.plugins import suggestion


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


class EvaluatorResolver:
    """Fetches evaluators into a store that all processes of this machine share."""

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._store = Store(cache_dir or default_root())
        self._own: list[EvaluatorSource] = []
        self._outcomes: dict[tuple[str, ...], Fetched | AgentEvalsError] = {}
        self._registries: dict[str, Registry] = {}
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
            locked = _locked(definition)
            return readable(locked) if locked else None
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
        source = sources[name]
        if source.problem or not isinstance(source, Registry):
            return source
        return self._registries.setdefault(source.cache_key, source)

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
        locked = _locked(definition)
        if locked:
            locked = readable(locked, about=f"{definition.lock}: {ref}")
        return fetch(self._store, source, ref, locked)


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
