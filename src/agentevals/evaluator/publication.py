"""What a registry lists: its whole index, or as much of it as somebody asks for."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import msgspec

from agentevals.evaluator import index as indexes
from agentevals.evaluator import tree
from agentevals.evaluator.heads import Fetch, Head, hash_bytes
from agentevals.evaluator.index import Index, IndexEntry
from agentevals.evaluator.tree import Node
from agentevals.model.errors import UnavailableError

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
        return tree.find_leaf(self._read, self.head.tree or "", name)

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
