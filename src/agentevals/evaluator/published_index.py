"""An index as a registry publishes it: `index.json`, or an older `index.yaml`, with `head.json`.

It is read whole, or as much of it as somebody asks for.
"""

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from agentevals.evaluator import head_signatures, index_tree
from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.index_tree import ROOT, Node
from agentevals.evaluator.registry_head import HEAD, Fetch, Head, Memory, hash_bytes, parse_head
from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.noun import Noun
from agentevals.text.terminal import plain

if TYPE_CHECKING:  # it imports a web client, and most users of this module need none
    from agentevals.evaluator.registry_copies import Copies

log = logging.getLogger(__name__)
JSON, YAML, POINTER = "index.json", "index.yaml", "registry.json"
VARIABLE = "AGENTEVALS_EVALUATOR_INDEX"
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
SEARCH = "index/search.json"
EACH = "e"  # the folder with a file for each entry


class Publication(ABC):
    """The entries of a registry, of one state."""

    @property
    @abstractmethod
    def commit(self) -> str:
        """The commit that they were compiled from, or nothing."""

    @abstractmethod
    def find(self, name: str) -> Index:
        """Return all that the index says of a name or an alias, and perhaps more.

        An index that does not have the name has all other names, for suggestions.
        """

    @abstractmethod
    def list_all(self) -> Index:
        """Return every entry with what lists show, and perhaps more."""


def read(
    fetch: Fetch, *names: str, where: str, memory: Memory | None = None
) -> tuple[Publication | None, str]:
    """Read what a registry lists, and say who signed it.

    Of an index in parts only the head is read. Otherwise it is the first file that exists. With
    a memory it must follow what was seen before.
    """
    head = fetch(HEAD) if any(name.endswith(".json") for name in names) else None
    now = parse_head(head)
    # assets of a release may be the whole index alone
    if head and now and JSON in names and now.search and now.tree and fetch(ROOT, now.tree):
        signer = _accept(head, now, fetch, memory, where)
        return Parts(head=now, fetch=fetch, where=where), signer
    return _read_whole(fetch, names, head, where=where, memory=memory)


def _read_whole(
    fetch: Fetch, names: Iterable[str], head: bytes | None, *, where: str, memory: Memory | None
) -> tuple[Publication | None, str]:
    for name in names:
        content = fetch(name)
        if content is None:
            continue
        # it names the hash of index.json, so whoever hands out index.yaml alone proves nothing
        now = parse_head(head) if name.endswith(".json") else None
        signer = ""
        if head and now:
            if now.index != hash_bytes(content):
                msg = f"{where}: the index is not the one that {HEAD} names; "
                raise UnavailableError(msg + "try again in some minutes")
            signer = _accept(head, now, fetch, memory, where)
        elif memory:
            memory.accept_none(content)
        found = indexes.parse(content, where=f"{where}/{name}")
        for remark in found.remarks:
            log.warning("%s/%s: %s", where, name, remark)
        return Whole(index=found), signer
    if memory:
        memory.accept_none(None)
    return None, ""


def _accept(content: bytes, head: Head, fetch: Fetch, memory: Memory | None, where: str) -> str:
    """Return who signed a head that may be used."""
    seen = memory.recall() if memory else None
    known = seen.signer if seen else ""
    signer = head_signatures.find_signer(content, head, fetch, where=where, known=known)
    if memory:
        memory.accept(content, fetch, signer)
    return signer


def open_memories(seen: Path) -> list[Memory]:
    """Return what this machine has seen at the addresses of the web."""
    return [_open_memory(address, seen) for address in read_addresses()]


def _open_memory(address: str, seen: Path) -> Memory:
    return Memory.open(seen, address, where=strip_name(address).rstrip("/"))


def read_address(address: str, copies: "Copies", seen: Path) -> tuple[Publication, str]:
    """Read what the index at an address of the web lists, without any token, and who signed it."""
    fetch, memory = fetch_beside(address, copies), _open_memory(address, seen)
    found, signer = read(fetch, address.rpartition("/")[2], where=memory.where, memory=memory)
    if found is None:
        msg = f"{address} does not exist; check {VARIABLE}"
        raise UnavailableError(msg)
    return found, signer


def fetch_beside(address: str, copies: "Copies") -> Fetch:
    """Return what fetches the files beside an index of the web."""
    base = strip_name(address)

    def fetch(name: str, /, digest: str = "") -> bytes | None:
        url, flat = f"{base}{name}", f"{base}{flatten(name)}"
        found = copies.get(url, {"accept": "*/*"}, what=url, digest=digest)
        if found is None and url != flat:
            found = copies.get(flat, {"accept": "*/*"}, what=flat, digest=digest)
        return found

    return fetch


def flatten(name: str) -> str:
    """Return the name of a file in a release, which has no folders: `index.heads.0.json`."""
    return name.replace("/", ".")


class Pointer(Noun, frozen=True):
    """The place of an index that does not lie on the branch of the evaluators.

    An address of the web, or `branch:NAME` of the same repository.
    """

    index: str

    @property
    def branch(self) -> str:
        """The branch that has it, or nothing."""
        return self.index.removeprefix("branch:") if self.index.startswith("branch:") else ""


def read_pointer(fetch: Fetch) -> Pointer | None:
    """Return where the index is, if it lies elsewhere; one that lies here wins."""
    if any(fetch(name) is not None for name in (HEAD, JSON)):
        return None
    content = fetch(POINTER)
    if content is None:
        return None
    try:
        found = msgspec.json.decode(content, type=Pointer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{POINTER} does not say where the index is: {error}"
        raise UnavailableError(msg) from None
    if not found.branch and not is_confidential(found.index):
        msg = f"{POINTER} names no index: {plain(found.index, 100)!r}; it must be an https address"
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


@dataclass(frozen=True, kw_only=True)
class Whole(Publication):
    """An index that was read at once."""

    index: Index

    @property
    def commit(self) -> str:
        return self.index.commit

    def find(self, name: str) -> Index:  # noqa: ARG002 -- a seam
        return self.index

    def list_all(self) -> Index:
        return self.index


@dataclass(frozen=True, kw_only=True)
class Parts(Publication):
    """An index of which only the parts are read that somebody needs. `head` vouches for each."""

    head: Head
    fetch: Fetch
    where: str

    @property
    def commit(self) -> str:
        return self.head.commit

    def find(self, name: str) -> Index:
        leaf = self._find_leaf(name)
        listed = name if name in leaf.entries else leaf.aliases.get(name, "")
        if listed:
            holder = leaf if listed in leaf.entries else self._find_leaf(listed)
            return Index(evaluators=(self._read_entry(listed, holder),))
        if name in leaf.removed:
            return Index(evaluators=(), removed={name: leaf.removed[name]})
        return self.list_all()

    def list_all(self) -> Index:
        return self._listed

    @cached_property
    def _listed(self) -> Index:
        content = self._read(SEARCH, self.head.search or "")
        return indexes.parse(content, where=f"{self.where}/{SEARCH}")

    def _find_leaf(self, name: str) -> Node:
        return index_tree.find_leaf(self._read, self.head.tree or "", name)

    def _read_entry(self, name: str, holder: Node) -> IndexEntry:
        place = f"{EACH}/{name}.json"
        content = self._read(place, holder.entries.get(name, ""))
        try:
            found = msgspec.json.decode(content, type=_File).evaluator
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            msg = f"{self.where}/{place}: not an entry of an index; {error}"
            raise UnavailableError(msg) from None
        if found.name != name:
            msg = f"{self.where}/{place}: this is the entry of another name"
            raise UnavailableError(msg)
        return found

    def _read(self, name: str, digest: str) -> bytes:
        content = self.fetch(name, digest)
        if content is not None and hash_bytes(content) == digest:
            return content
        is_other = "does not exist" if content is None else "is not the one that head.json means"
        msg = f"{self.where}/{name} {is_other}; try again in some minutes"
        raise UnavailableError(msg)


class _File(msgspec.Struct):
    evaluator: IndexEntry
