"""`index/tree/`: where to find one entry of an index, proved by one hash.

A file of the tree names files below it, or entries, each with its sha256. The way to an entry
are the first digits of the sha256 of its name. So a client that trusts the hash of the root
reads as many files as the number of entries has hexadecimal digits, and needs no others.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping

import msgspec

from agentevals.evaluator.registry_head import Digest
from agentevals.evaluator.registry_index import Removed
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

ROOT = "index/tree/root.json"
_MOST = 64  # names in one file
_DEEPEST = 16

Read = Callable[[str, str], bytes]  # the file of this name and sha256


class Node(Noun, frozen=True):
    """Names with all that the index has of them, or the hashes of the nodes below."""

    nodes: dict[str, Digest] = {}
    entries: dict[str, Digest] = {}  # of e/<name>.json
    aliases: dict[str, str] = {}
    removed: dict[str, Removed] = {}


Leaves = Mapping[str, Node]  # what one name alone adds


def name_node(prefix: str) -> str:
    """Return the file of a node."""
    return f"index/tree/{prefix}.json" if prefix else ROOT


def find_leaf(read: Read, root: str, name: str) -> Node:
    """Return the node that has a name, if there is one."""
    key, wanted = _hash_name(name), root
    for depth in range(_DEEPEST):
        place = name_node(key[:depth])
        try:
            node = msgspec.json.decode(read(place, wanted), type=Node)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            msg = f"{place} is no part of an index: {error}"
            raise UnavailableError(msg) from None
        if not node.nodes:
            return node
        wanted = node.nodes.get(key[depth], "")
        if not wanted:
            break
    return Node()


def plant(leaves: Leaves) -> dict[str, bytes]:
    """Return the files of a tree; the same leaves give the same bytes."""
    files: dict[str, bytes] = {}
    _grow(sorted((_hash_name(name), name) for name in leaves), leaves, "", files)
    return files


def _grow(keys: list[tuple[str, str]], leaves: Leaves, prefix: str, files: dict[str, bytes]) -> str:
    """Add the files of a node, and return its hash."""
    if len(keys) <= _MOST or len(prefix) == _DEEPEST - 1:
        node = _join(leaves[name] for _, name in sorted(keys, key=lambda key: key[1]))
    else:
        below: dict[str, list[tuple[str, str]]] = {}
        for key in keys:
            below.setdefault(key[0][len(prefix)], []).append(key)
        node = Node(nodes={d: _grow(below[d], leaves, prefix + d, files) for d in below})
    content = msgspec.json.encode(node) + b"\n"
    files[name_node(prefix)] = content
    return hashlib.sha256(content).hexdigest()


def _join(nodes: Iterable[Node]) -> Node:
    every = list(nodes)
    return Node(
        entries={name: digest for node in every for name, digest in node.entries.items()},
        aliases={name: other for node in every for name, other in node.aliases.items()},
        removed={name: why for node in every for name, why in node.removed.items()},
    )


def _hash_name(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
