"""Where the keys and values of a manifest stand; worked out when somebody asks for one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

from agentevals.files.places import Key

PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Extent(NamedTuple):
    """From where to where something stands: lines and columns count from 1, characters from 0."""

    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    start: int = 0
    end: int = 0


class Spot(NamedTuple):
    """The value at a path of a manifest, or its key."""

    where: tuple[Key, ...]
    of_key: bool = False


BEGIN = Extent()


class Node:
    """One value, its keys, and the values in it. `plain` is whether it was written unquoted."""

    __slots__ = ("children", "extent", "keys", "plain")

    def __init__(self, extent: Extent, *, plain: bool = False) -> None:
        self.extent, self.plain = extent, plain
        self.keys: dict[str, Extent] = {}
        self.children: dict[Key, Node] = {}

    def find(self, where: Sequence[Key]) -> "Node":
        """The node at a path, or the nearest one around it."""
        node = self
        for step in where:
            child = node.children.get(step)
            if child is None:
                break
            node = child
        return node


def extent_of(event: Any) -> Extent:
    """Where an event of the parser stands."""
    return between(event.start_mark, event.end_mark)


def between(begin: Any, end: Any) -> Extent:
    """From one mark of the parser to another."""
    return Extent(
        begin.line + 1, begin.column + 1, end.line + 1, end.column + 1, begin.index, end.index
    )


def locate(text: str) -> Node:
    """The places of a text, up to where it stops being YAML. Of two equal keys the first counts."""
    tree = _Tree()
    try:
        for event in yaml.parse(text, Loader=PARSER):
            tree.take(event)
    except (yaml.YAMLError, UnicodeEncodeError):
        pass  # the strict reader has said so; whatever stands before that has its place
    return tree.root


class _Tree:
    """Grows by one event after the other, and without recursion: text may be nested deeply."""

    def __init__(self) -> None:
        self.root = Node(Extent())
        self._begun = False
        self._open: list[tuple[Node, Any]] = []
        self._keys: list[str | None] = []

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.NodeEvent):
            self._value(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end(event)

    def _value(self, event: Any) -> None:
        node = Node(extent_of(event), plain=getattr(event, "style", "-") in {None, ""})
        if self._is_key():
            key = str(getattr(event, "value", ""))
            self._open[-1][0].keys.setdefault(key, node.extent)
            self._keys[-1] = key
        else:
            self._add(node)
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append((node, event))
            self._keys.append(None)

    def _is_key(self) -> bool:
        if not self._open or self._keys[-1] is not None:
            return False
        return isinstance(self._open[-1][1], yaml.MappingStartEvent)

    def _add(self, node: Node) -> None:
        if not self._open:
            if not self._begun:
                self.root, self._begun = node, True
            return
        above, _ = self._open[-1]
        key = self._keys[-1]
        above.children.setdefault(len(above.children) if key is None else key, node)
        self._keys[-1] = None

    def _end(self, event: Any) -> None:
        """A block ends where the next thing begins, so only its begin is known."""
        node, begin = self._open.pop()
        self._keys.pop()
        end = event.end_mark if begin.flow_style else begin.start_mark
        node.extent = between(begin.start_mark, end)
