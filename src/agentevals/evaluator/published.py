"""An index as a registry publishes it: `index.json`, or an older `index.yaml`, with `head.json`."""

import hashlib
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from agentevals.evaluator import index as indexes
from agentevals.evaluator import store
from agentevals.evaluator.index import Index
from agentevals.files import atomic
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.noun import Noun

if TYPE_CHECKING:  # it imports a web client, and most users of this module need none
    from agentevals.evaluator.copies import Copies

log = logging.getLogger(__name__)

JSON, YAML = "index.json", "index.yaml"
HEAD = "head.json"
VARIABLE = "AGENTEVALS_EVALUATOR_INDEX"

_ALLOWED = "AGENTEVALS_ALLOW_ROLLBACK"
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}

Fetch = Callable[[str], bytes | None]  # a file beside the index, by its name


def read(
    fetch: Fetch, *names: str, where: str, seen: Path, key: tuple[str, ...] = ()
) -> Index | None:
    """Read the first file that exists. With a key it must not be older than before."""
    for name in names:
        content = fetch(name)
        if content is None:
            continue
        if key:
            # it names the hash of index.json, so whoever hands out index.yaml alone proves nothing
            newest = fetch(HEAD) if name.endswith(".json") else None
            watch(seen, *key, head=newest, index=content, where=where)
        found = indexes.parse(content, where=f"{where}/{name}")
        for remark in found.remarks:
            log.warning("%s/%s: %s", where, name, remark)
        return found
    if key:
        watch(seen, *key, head=None, index=None, where=where)
    return None


def read_address(address: str, copies: "Copies", seen: Path) -> Index:
    """Read the index at an address of the web, without any token."""
    base, name = strip_name(address), address.rpartition("/")[2]

    def fetch(beside: str) -> bytes | None:
        url = f"{base}{beside}"
        return copies.get(url, {"accept": "*/*"}, what=url)

    found = read(fetch, name, where=base.rstrip("/"), seen=seen, key=(address,))
    if found is None:
        msg = f"{address} does not exist; check {VARIABLE}"
        raise UnavailableError(msg)
    return found


def read_addresses() -> list[str]:
    """Return the addresses of index files, in the order in which they are tried."""
    given = os.environ.get(VARIABLE, "").split()
    for address in given:
        name = urlsplit(address).path.rpartition("/")[2]
        plain = not urlsplit(address).query and not urlsplit(address).fragment
        if not (is_confidential(address) and plain and name.endswith((".json", ".yaml"))):
            msg = f"{VARIABLE}: {address!r} is no address of an index; "
            raise InputError(msg + "write it like https://example.org/registry/index.json")
    return given


def is_confidential(url: str) -> bool:
    """Return whether nobody on the way can read or change a request."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in _LOOPBACK


def strip_name(address: str) -> str:
    """Return the folder of an address, with its slash."""
    return f"{address.rpartition('/')[0]}/"


Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Head(Noun, frozen=True):
    """The newest index, and how many there were before."""

    sequence: Annotated[int, Meta(ge=0, le=2**53)]
    index: Digest  # of index.json
    previous: Digest | None = None  # of the head.json before
    commit: str = ""
    schema: int = 1


def parse_head(content: bytes) -> Head | None:
    """Parse a head; None where the content is none."""
    try:
        return msgspec.json.decode(content, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def watch(folder: Path, *key: str, head: bytes | None, index: bytes | None, where: str) -> None:
    """Refuse an index that is older than one that was seen here before.

    Where a head was seen, there must be one: whoever puts an index back can remove the head as
    well, or the index itself. Then only the index that was seen last is used.
    """
    path = folder / f"{store.hash_key(key)}.json"
    before, now = _recall(path), parse_head(head) if head else None
    digest = hashlib.sha256(index or b"").hexdigest()
    if now is None:
        if before:
            _accept_missing(path, before, digest, where)
        return
    if now.index != digest:
        msg = f"{where}: the index is not the one that {HEAD} names; try again in some minutes"
        raise UnavailableError(msg)
    if before and _is_back(now, before):
        was, stands = f"no. {before.sequence} was seen before", f"no. {now.sequence} stands"
        _refuse(f"{where} was put back: its index {stands} where {was}")
    _remember(path, now)


def _accept_missing(path: Path, before: Head, digest: str, where: str) -> None:
    if digest == before.index:
        kept = f"its index is still no. {before.sequence}"
        log.warning("%s has no %s any more; %s", where, HEAD, kept)
        return
    seen = f"its index no. {before.sequence} was seen before"
    _refuse(f"{where} may have been put back: {seen}, and now no {HEAD} names its index")
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


def _recall(path: Path) -> Head | None:
    try:
        return parse_head(path.read_bytes())
    except OSError:
        return None


def _remember(path: Path, head: Head) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic.write(path, msgspec.json.encode(head))
    except OSError as error:
        log.debug("%s: is not kept: %s", path, error)
