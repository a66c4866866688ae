"""Bring a lock up to date: new pins, who signed the indexes, and what nobody uses any more."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import UNSET, structs

from agentevals.evaluator import evaluator_lock
from agentevals.evaluator.evaluator_lock import Lock, Locked, LockedHead, Pin, RemoteEvaluatorDef
from agentevals.evaluator.resolver import EvaluatorResolver, Fetched
from agentevals.model.errors import UnavailableError

_CONFIGS = {".yaml", ".yml", ".json"}
_FOREIGN = {"node_modules", "venv"}
_ACCEPT = "agentevals lock --update --accept-signer"
_LARGEST = 1 << 20  # bytes of a config


@dataclass(frozen=True, kw_only=True)
class Change:
    """A reference whose pin is new, changed, or gone because nobody uses it."""

    ref: str
    before: Pin | None
    after: Pin | None


@dataclass(frozen=True, kw_only=True)
class Wish:
    """The orders of somebody to a lock. `update` looks for newer pins of known references."""

    update: bool = False
    accept_signer: bool = False


def update_lock(
    path: Path, wanted: Iterable[RemoteEvaluatorDef], resolver: EvaluatorResolver, wish: Wish
) -> tuple[Lock, list[Change]]:
    """Return the new lock and the changes. Known pins stay unless an update is asked for."""
    old, every = evaluator_lock.read(path) or Lock(), list(wanted)
    found: list[Change] = []
    signers: dict[str, str] = {}
    heads: dict[str, LockedHead] = {}
    known = {} if wish.accept_signer else old.heads or {}
    for definition in every:
        before = old.find(definition.source, definition.ref)
        if before is None or wish.update:
            fetched, seen = _obtain(definition, resolver, known)
            found.append(Change(ref=definition.ref, before=before, after=fetched.pin))
            if fetched.pinned_by != "cache":
                signers[fetched.pin.repository] = resolver.find_signer(definition)
                heads |= seen
    if not wish.accept_signer:
        _check_signers(path, old, signers)
    unused = list(_find_unused(path, old, every)) if wish.update else []
    kept = structs.replace(old, evaluators=tuple(e for e in old.evaluators if e not in unused))
    new = kept.merge(Locked(ref=c.ref, pin=c.after) for c in found if c.after)
    gone = [Change(ref=each.ref, before=each.pin, after=None) for each in unused]
    changes = [*(c for c in found if c.before != c.after), *gone]
    # while nothing changes, an old head is as good a lower limit, and the file stays as it is
    new = structs.replace(new, heads=({**known, **heads} if changes else known) or UNSET)
    return _sign(new, signers), changes


def _obtain(
    definition: RemoteEvaluatorDef, resolver: EvaluatorResolver, known: Mapping[str, LockedHead]
) -> tuple[Fetched, dict[str, LockedHead]]:
    """Fetch an evaluator anew, and return the heads of its registry as they are then.

    A machine that saw less than the lock knows its heads meanwhile; it keeps what it has seen.
    """
    memories = resolver.list_memories(definition)
    before = [memory.recall() for memory in memories]
    for memory in memories:
        if memory.name in known:
            memory.adopt(known[memory.name])
    found = None
    try:
        found = resolver.obtain(replace(definition, lock=None))
    finally:
        if found is None or found.pinned_by == "cache":
            for memory, seen in zip(memories, before, strict=True):
                memory.restore(seen)
    heads = {memory.name: head for memory in memories if (head := memory.recall())}
    return found, {name: head.lock() for name, head in heads.items()}


def _check_signers(path: Path, old: Lock, signers: dict[str, str]) -> None:
    """Refuse an index that another one has signed than the lock says, or nobody."""
    for repository, signer in signers.items():
        known = old.find_signer(repository)
        if known and known != signer:
            now = f"{signer} signs it" if signer else "nobody signs it"
            msg = f"{path}: {known} signed the index of {repository}, and now {now}; ask who "
            raise UnavailableError(msg + f"maintains it, and if that is right, run '{_ACCEPT}'")


def _sign(new: Lock, signers: dict[str, str]) -> Lock:
    """Return a lock with the signers of all repositories that it has pins of."""
    known = {**(new.signers or {}), **signers}
    used = {each.pin.repository for each in new.evaluators}
    kept = {name: known[name] for name in sorted(known) if known[name] and name in used}
    return structs.replace(new, signers=kept or UNSET)


def _find_unused(path: Path, old: Lock, wanted: Iterable[RemoteEvaluatorDef]) -> Iterator[Locked]:
    """Yield what neither these configs use, nor any other one at or below the lock."""
    used = {(definition.source, definition.ref) for definition in wanted}
    others = [each for each in old.evaluators if (each.pin.source, each.ref) not in used]
    if others:
        texts = list(_read_configs(path))
        for each in others:
            written = re.compile(rf"\bref[\"']?\s*:\s*[\"']?{re.escape(each.ref)}(?![\w.@/-])")
            if not any(map(written.search, texts)):
                yield each


def _read_configs(path: Path) -> Iterator[str]:
    """Yield the texts of all files that could be configs with this lock."""
    for folder, below, names in os.walk(path.parent.absolute()):
        below[:] = [name for name in below if name[0] != "." and name not in _FOREIGN]
        for file in (Path(folder, name) for name in names if Path(name).suffix in _CONFIGS):
            if file.is_file() and file.stat().st_size <= _LARGEST:
                yield file.read_text(encoding="utf-8", errors="replace")
