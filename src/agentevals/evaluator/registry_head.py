"""`head.json`: the newest index of a registry, bound to all that were published before it.

A head has a number, and one hash into which the hashes of all earlier heads are folded. So
whoever saw one head can tell whether another follows it, with the hashes of those in between:
`index/heads/<n>.json` has 128 of them each.
"""

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from agentevals.evaluator import evaluator_store
from agentevals.evaluator.evaluator_lock import LockedHead
from agentevals.files import atomic_files
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)

HEAD = "head.json"
BEGIN = "0" * 64  # the chain before the first head
_PER_PAGE = 128
_MOST = 1000 * _PER_PAGE  # heads that somebody may have missed
_TRUST = "agentevals evaluator trust"
_ALLOWED = "AGENTEVALS_ALLOW_ROLLBACK"

Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Sequence = Annotated[int, Meta(ge=0, le=2**53)]


class Fetch(Protocol):
    """Hands out a file beside the index by its name; one of this digest may be a kept copy."""

    def __call__(self, name: str, /, digest: str = "") -> bytes | None: ...


class Head(Noun, frozen=True):
    """The newest index, and how many there were before.

    `search`, `tree` and `chain` are missing in heads of agentevals 0.x before the index had parts.
    """

    sequence: Sequence
    index: Digest  # of index.json
    previous: Digest | None = None  # of the head.json before
    commit: str = ""
    schema: int = 1
    search: Digest | None = None  # of index/search.json
    tree: Digest | None = None  # of index/tree/root.json
    chain: Digest | None = None  # all earlier heads from number `since` on, folded
    since: Sequence = 0
    signature: str = ""  # the file beside it that says who signed it


class Page(Noun, frozen=True):
    """Hashes of head.json as it was, from number `first` on."""

    first: Sequence
    heads: tuple[Digest, ...]


class Seen(Head, frozen=True):
    """The head that this machine saw last, its own hash, and who signed it."""

    digest: Digest | None = None
    signer: str = ""

    def lock(self) -> LockedHead:
        """Return it as a lock keeps it, which has the signer elsewhere."""
        return LockedHead(self.sequence, self.index, self.digest, self.chain, self.since)


def parse_head(content: bytes | None) -> Head | None:
    """Parse a head; None where the content is none."""
    try:
        return msgspec.json.decode(content or b"", type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def hash_bytes(content: bytes) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(content).hexdigest()


def fold(chain: str, *digests: str) -> str:
    """Return the chain with further heads folded in."""
    for digest in digests:
        chain = hash_bytes(f"{chain}{digest}".encode())
    return chain


def name_page(sequence: int) -> str:
    """Return the file that has the hash of a head."""
    return f"index/heads/{sequence // _PER_PAGE}.json"


def list_pages(first: int, last: int) -> Iterator[str]:
    """Yield the files that have the hashes of heads, of the last one too."""
    for page in range(first // _PER_PAGE, last // _PER_PAGE + 1):
        yield name_page(page * _PER_PAGE)


def read_hashes(fetch: Fetch, first: int, last: int) -> list[str]:
    """Return the hashes of heads, as far as the pages have them."""
    found: dict[int, str] = {}
    if not first <= last < first + _MOST:
        return []
    for name in list_pages(first, last):
        try:
            page = msgspec.json.decode(fetch(name) or b"", type=Page)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return []
        found |= dict(enumerate(page.heads, page.first))
    return [found[at] for at in range(first, last + 1) if at in found]


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The head of one registry that this machine saw last. `where` is how people name that."""

    path: Path
    where: str
    name: str  # of the registry, in locks

    @classmethod
    def open(cls, folder: Path, *key: str, where: str) -> "Memory":
        """Return the memory of a registry, in a folder that all registries share."""
        return cls(
            path=folder / f"{evaluator_store.hash_key(key)}.json", where=where, name=" ".join(key)
        )

    def accept(self, content: bytes, fetch: Fetch, signer: str) -> None:
        """Remember a head; UnavailableError where it does not follow the one seen before."""
        now, before = msgspec.json.decode(content, type=Head), self.recall()
        digest = hash_bytes(content)
        if before:
            self._check_signer(before, signer)
            self._check_order(before, now, digest, fetch)
        self._keep(msgspec.convert({**msgspec.to_builtins(now), "digest": digest}, Seen), signer)

    def accept_none(self, index: bytes | None) -> None:
        """Refuse a registry without a head where one was seen, unless its index is the same.

        Whoever puts an index back can remove the head as well, or the index itself.
        """
        before = self.recall()
        if not before:
            return
        self._check_signer(before, "")
        if hash_bytes(index or b"") == before.index:
            kept = f"its index is still no. {before.sequence}"
            log.warning("%s has no %s any more; %s", self.where, HEAD, kept)
            return
        seen = f"its index no. {before.sequence} was seen before"
        _refuse(f"{self.where} may have been put back: {seen}, and now no {HEAD} names its index")
        self.forget()

    def recall(self) -> Seen | None:
        """Return the head that was seen last."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Seen)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def adopt(self, locked: LockedHead) -> None:
        """Take the head of a lock for the last one seen, where this machine saw none or less."""
        seen = self.recall()
        if seen is None or seen.sequence < locked.sequence:
            known = msgspec.convert(msgspec.to_builtins(locked), Seen)
            self._keep(known, seen.signer if seen else "")

    def restore(self, seen: Seen | None) -> None:
        """Undo what was adopted."""
        if seen:
            self._keep(seen, seen.signer)
        else:
            self.forget()

    def forget(self) -> None:
        """Take whatever comes next as the first that was seen."""
        with suppress(OSError):  # then the next run says it again
            self.path.unlink()

    def _check_signer(self, before: Seen, signer: str) -> None:
        if before.signer and before.signer != signer:
            now = f"{signer} signs it now" if signer else "nobody signs it now"
            msg = f"{self.where}: its index was signed by {before.signer}, and {now}; ask who "
            raise UnavailableError(msg + f"maintains it, and if that is right, run '{_TRUST}'")

    def _check_order(self, before: Seen, now: Head, digest: str, fetch: Fetch) -> None:
        same = now.sequence == before.sequence
        other = digest != before.digest if before.digest else now.index != before.index
        if now.sequence < before.sequence or (same and other):
            was, stands = f"no. {before.sequence} was seen before", f"no. {now.sequence} stands"
            _refuse(f"{self.where} was put back: its index {stands} where {was}")
        elif not same and before.chain and not _follows(before, now, fetch):
            which = f"no. {now.sequence} follows no. {before.sequence}, which was seen before"
            _refuse(f"{self.where} may have been put back: nothing proves that its index {which}")

    def _keep(self, seen: Seen, signer: str) -> None:
        kept = msgspec.structs.replace(seen, signer=signer)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_files.write(self.path, msgspec.json.encode(kept))
        except OSError as error:
            log.debug("%s: is not kept: %s", self.path, error)


def _follows(before: Seen, now: Head, fetch: Fetch) -> bool:
    """Tell whether a head of a chain is one of those that a later head has folded."""
    if not before.chain or not before.digest or now.since != before.since:
        return False
    between = read_hashes(fetch, before.sequence + 1, now.sequence - 1)
    complete = len(between) == now.sequence - before.sequence - 1
    return complete and fold(before.chain, before.digest, *between) == now.chain


def _refuse(what: str) -> None:
    """Raise UnavailableError, or only warn where somebody allows it."""
    if not os.environ.get(_ALLOWED):
        msg = f"{what}; ask who maintains it, or set {_ALLOWED}=1"
        raise UnavailableError(msg)
    log.warning("%s", what)
