"""From a registry's reference to a program on this machine, fetched once."""

import asyncio
import os
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from agentevals.errors import AgentEvalsError, InputError, UnavailableError
from agentevals.evaluator.sources import EvaluatorSource, check_ref, get_sources
from agentevals.seams import suggestion


@dataclass(frozen=True, kw_only=True)
class RemoteEvaluatorDef:
    """An evaluator that a registry has."""

    name: str
    ref: str
    source: str = "github"
    threshold: float = 0.5
    timeout: float = 30
    config: dict[str, Any] = field(default_factory=dict)
    executor: str = "local"


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
    """Fetches evaluators into a cache. What is there is used; delete it to fetch it again.

    Room for later: entries by commit and hash, and a lock file that pins them.
    """

    def __init__(self, cache_dir: Path | None = None) -> None:
        self._cache = cache_dir or _cache_dir()
        self._own: list[EvaluatorSource] = []
        self._fetched: dict[tuple[str, str], Path | AgentEvalsError] = {}
        self._lock = Lock()

    def register_source(self, source: EvaluatorSource) -> None:
        """A source for this resolver only."""
        self._own.append(source)

    async def resolve(self, definition: RemoteEvaluatorDef) -> CodeEvaluatorDef:
        """The evaluator as a file of this machine, fetched if need be."""
        path = await self._file(definition)
        return CodeEvaluatorDef(
            name=definition.name,
            path=path,
            threshold=definition.threshold,
            timeout=definition.timeout,
            config=definition.config,
            executor=definition.executor,
        )

    def fetch(self, definition: RemoteEvaluatorDef) -> Path:
        """As `resolve`, without an event loop. Failures are remembered: a run asks per case."""
        key = definition.source, definition.ref
        with self._lock:
            if key not in self._fetched:
                self._fetched[key] = _outcome(self._file(definition))
            outcome = self._fetched[key]
        if isinstance(outcome, Path):
            return outcome
        msg = f"evaluator {definition.name!r}: {outcome}"
        raise type(outcome)(msg) from outcome

    def problems(self, definition: RemoteEvaluatorDef) -> list[str]:
        """What is wrong with a reference, found without fetching anything."""
        try:
            self._source(definition.source)
        except InputError as error:
            return [str(error)]
        return []

    def _source(self, name: str) -> EvaluatorSource:
        sources = {source.source_name: source for source in (*get_sources(), *self._own)}
        if name not in sources:
            msg = f"unknown evaluator source {name!r}{suggestion(name, list(sources))}"
            raise InputError(msg)
        return sources[name]

    async def _file(self, definition: RemoteEvaluatorDef) -> Path:
        source = self._source(definition.source)
        try:
            check_ref(definition.ref)
        except ValueError as error:
            msg = f"ref {definition.ref!r} {error}"
            raise InputError(msg) from error
        path = self._cache / source.cache_key / definition.ref
        if path.is_file():
            return path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._cache) as staging:
            found: object = await source.fetch_evaluator(definition.ref, Path(staging) / path.name)
            if isinstance(found, Path) and not found.is_relative_to(staging):
                return found
            if not isinstance(found, Path) or not found.is_file():
                what = f"gave no file for {definition.ref!r}; correct its fetch_evaluator"
                msg = f"source {definition.source!r} {what}"
                raise InputError(msg)
            # what belongs to an evaluator goes first, so that one that is there is whole
            for beside in (other for other in found.parent.iterdir() if other != found):
                beside.replace(path.with_name(beside.name))
            found.replace(path)
        return path


def _outcome(file: Coroutine[Any, Any, Path]) -> Path | AgentEvalsError:
    try:
        return asyncio.run(file)
    except (InputError, UnavailableError) as error:
        return error
    except OSError as error:
        return UnavailableError(str(error))


def _cache_dir() -> Path:
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache_home) / "agentevals" / "evaluators"


@cache
def get_default_resolver() -> EvaluatorResolver:
    """The resolver of a run. It sees every source, also those registered later."""
    return EvaluatorResolver()
