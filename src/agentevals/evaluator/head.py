"""`head.json`: by which a client sees that a registry was put back to an earlier state."""

import hashlib
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agentevals.evaluator import store
from agentevals.files import atomic
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

FILE = "head.json"
_ALLOWED = "AGENTEVALS_ALLOW_ROLLBACK"

log = logging.getLogger(__name__)

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Head(Noun, frozen=True):
    """Which index is the newest, and how many there were before."""

    sequence: Annotated[int, Meta(ge=0, le=2**53)]
    index: Digest  # of index.json
    previous: Digest | None = None  # of the head.json before
    commit: str = ""
    schema: int = 1


def parse(content: bytes) -> Head | None:
    """What the file says; None where it is no such file."""
    try:
        return msgspec.json.decode(content, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def watch(folder: Path, *key: str, head: bytes | None, index: bytes | None, where: str) -> None:
    """Refuse an index that is older than one that was seen here before.

    Where a head was seen, there must be one: whoever puts an index back can remove the head as
    well, or the index itself. Then only the index that was seen last is used.
    """
    path = folder / f"{store.name_of(key)}.json"
    before, now = _seen(path), parse(head) if head else None
    digest = hashlib.sha256(index or b"").hexdigest()
    if now is None:
        if before:
            _without_head(path, before, digest, where)
        return
    if now.index != digest:
        msg = f"{where}: the index is not the one that {FILE} names; try again in some minutes"
        raise UnavailableError(msg)
    if before and _is_back(now, before):
        was, stands = f"no. {before.sequence} was seen before", f"no. {now.sequence} stands"
        _refuse(f"{where} was put back: its index {stands} where {was}")
    _remember(path, now)


def _without_head(path: Path, before: Head, digest: str, where: str) -> None:
    if digest == before.index:
        kept = f"its index is still no. {before.sequence}"
        log.warning("%s has no %s any more; %s", where, FILE, kept)
        return
    seen = f"its index no. {before.sequence} was seen before"
    _refuse(f"{where} may have been put back: {seen}, and now no {FILE} names its index")
    with suppress(OSError):  # then the next run says it again
        path.unlink()


def _is_back(now: Head, before: Head) -> bool:
    same = now.sequence == before.sequence
    return now.sequence < before.sequence or (same and now.index != before.index)


def _refuse(what: str) -> None:
    """Raise UnavailableError, or only warn where somebody allows it."""
    if not os.environ.get(_ALLOWED):
        msg = f"{what}; ask who maintains it, or set {_ALLOWED}=1"
        raise UnavailableError(msg)
    log.warning("%s", what)


def _seen(path: Path) -> Head | None:
    try:
        return parse(path.read_bytes())
    except OSError:
        return None


def _remember(path: Path, head: Head) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic.write(path, msgspec.json.encode(head))
    except OSError as error:
        log.debug("%s: is not kept: %s", path, error)
