"""YAML: the value and the place of everything in it, in one pass over the parser's events."""

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import yaml

from agentevals.files.document_places import DEEPEST, Node, describe_double, quote, refuse_depth
from agentevals.files.yaml_events import (
    MERGE,
    SYNTAX,
    EventReader,
    Open,
    explain,
    extend,
    extent_of,
)
from agentevals.model.errors import Extent, Problem, point

_REPEATED = 100_000  # values that aliases may stand for; a "billion laughs" has many more
_STANDARD = "tag:yaml.org,2002:"
_PLAIN = {f"{_STANDARD}{kind}" for kind in ("str", "int", "float", "bool", "null")}
_CONTAINERS = {f"{_STANDARD}{kind}" for kind in ("seq", "map")} | {None, "!"}


def scan(text: str) -> tuple[Any, Node, list[Problem]]:
    """Return the value with its places, and everything that is wrong with it."""
    builder = Builder(text)
    builder.run()
    return builder.root.value, builder.root.node, builder.problems


class _Scalars(yaml.constructor.SafeConstructor, yaml.resolver.Resolver):
    """PyYAML's knowledge of plain scalars, without a stream to read."""

    def __init__(self) -> None:
        yaml.constructor.SafeConstructor.__init__(self)
        yaml.resolver.Resolver.__init__(self)


_SCALARS: Any = _Scalars()


@dataclass(slots=True)
class Part(Open):
    """A value with its place, how many values it holds, and how deep it goes."""

    node: Node = field(default_factory=lambda: Node(Extent()))
    anchor: str | None = None
    begin: Any = None
    size: int = 1
    height: int = 0
    merged: tuple["Part", ...] = ()

    @property
    def merges(self) -> bool:
        """Return whether the value that comes next is merged into this mapping."""
        return self.key == MERGE and MERGE not in self.node.keys


class Builder(EventReader[Part]):
    """Puts the events together to a value and its places."""

    deepest = DEEPEST
    one_document = "keep one in each file"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.root = Part(None, is_map=False)
        self._anchors: dict[str, Part] = {}
        self._repeated = 0

    def read_scalar(self, event: Any) -> None:
        value, raw = self.read(event)
        if self.wants_key():
            self._set_key(event, value, raw)
            return
        node = Node(extent_of(event), raw, event.style in {None, ""})
        self.add(Part(value, is_map=False, node=node, anchor=event.anchor))

    def open_part(self, event: Any) -> Part:
        if event.tag not in _CONTAINERS:
            self._refuse_tag(event)
        is_map = isinstance(event, yaml.MappingStartEvent)
        node = Node(extent_of(event))
        part = Part({} if is_map else [], is_map, node=node, anchor=event.anchor, begin=event)
        self._place(part)
        return part

    def add_part(self, part: Part, end: Any) -> None:
        """Add a list or a mapping. The parser does not know where a block ends, only its begin."""
        begin = part.begin.start_mark
        part.node.extent = extend(begin, end if part.begin.flow_style else begin)
        for source in part.merged:
            self.merge(source, part)
        self.add(part)

    def read_alias(self, event: Any) -> None:
        built = self._anchors.get(event.anchor)
        if built is None:
            self.stop(event, f"the alias *{event.anchor} stands for nothing that is complete")
        if self.wants_key():
            self.stop(event, "a key must be text, not an alias")
        self._repeated += built.size
        if self._repeated > _REPEATED:
            self.stop(event, f"aliases repeat more than {_REPEATED:,} values", "write fewer")
        if len(self._open) + built.height > DEEPEST:
            raise refuse_depth(extent_of(event))
        self.add(built)

    def describe(self, rule: str, message: str, at: Extent, fix: str = "") -> Problem:
        """Describe a problem as configs have it: what to do is part of the message."""
        return Problem(message=f"{message}; {fix}" if fix else message, at=at, rule=rule)

    def describe_syntax(self, error: yaml.MarkedYAMLError, lines: list[str]) -> Problem:
        words, line, column = explain(error)
        is_tab = line < len(lines) and lines[line][column : column + 1] == "\t"
        why = "a tab cannot indent; use spaces" if is_tab else words
        return self.describe(SYNTAX, f"not valid YAML: {why}", point(line + 1, column + 1))

    def _set_key(self, event: Any, value: object, raw: str | None) -> None:
        at, key, inner = extent_of(event), event.value, self._open[-1]
        # a whole number as JSON spells it can mean nothing else
        if raw is not None and not (type(value) is int and raw == str(value)):
            message = f"the key {quote(key)} is read as {json.dumps(value)}; write it in quotes"
            self.problems.append(Problem(message=message, at=at))
        seen = inner.node.keys
        inner.key, inner.dropped = key, key in seen
        if inner.dropped:
            self.problems.append(describe_double(key, seen[key], at))
        elif key != MERGE or not event.implicit[0]:
            seen[key] = at

    def add(self, part: Part) -> None:
        """Put a value that is complete where it belongs."""
        if part.anchor is not None:
            self._anchors[part.anchor] = part
        self._place(part)
        whole = self._inner
        if whole is None:
            return
        whole.size += part.size
        whole.height = max(whole.height, part.height + 1)
        if whole.merges:
            whole.merged += (part,)
            whole.key = None
        else:
            self.put(part.value)

    def _place(self, part: Part) -> None:
        """Keep the place at once: a text that breaks off keeps the places before that."""
        whole = self._inner
        if whole is None:
            self.root = part
        elif not whole.is_map:
            whole.node.children[len(whole.value)] = part.node
        elif whole.key is not None and not whole.dropped and not whole.merges:
            whole.node.children[whole.key] = part.node

    def merge(self, source: Part, target: Part) -> None:
        """Merge `<<: *other`: add the keys that the mapping does not have itself."""
        several = isinstance(source.value, list)
        for index, value in enumerate(source.value if several else [source.value]):
            node = source.node.children[index] if several else source.node
            if not isinstance(value, dict):
                self.problems.append(Problem(message="'<<' takes a mapping", at=node.extent))
                continue
            for key in value:
                if key not in target.value:
                    target.value[key] = value[key]
                    target.node.children[key] = node.children[key]
                    target.node.keys[key] = node.keys[key]

    def read(self, event: Any) -> tuple[Any, str | None]:
        """Return the value of a scalar, and how it was written if it was not read as text."""
        tag = event.tag
        if tag in {None, "!"}:
            if tag or not event.implicit[0]:
                return event.value, None
            tag = _SCALARS.resolve(yaml.ScalarNode, event.value, (True, False))
            if tag not in _PLAIN:  # dates and such, which JSON does not know
                return event.value, None
        elif tag not in _PLAIN:
            self._refuse_tag(event)
            return event.value, None
        if tag == f"{_STANDARD}str":
            return event.value, None
        return self._construct(tag, event), event.value

    def _construct(self, tag: str, event: Any) -> Any:
        try:
            value = _SCALARS.yaml_constructors[tag](_SCALARS, yaml.ScalarNode(tag, event.value))
        except (ValueError, LookupError):
            kind = tag.removeprefix(_STANDARD)
            self._report(event, f"{quote(event.value, 20)} cannot be read as !!{kind}")
            return None
        if isinstance(value, float) and not isfinite(value):
            self._report(event, f"{quote(event.value, 20)} is not a finite number")
            return None
        return value

    def _refuse_tag(self, event: Any) -> None:
        self._report(event, f"the tag {quote(event.tag)} is not supported; remove it")

    def _report(self, event: Any, message: str) -> None:
        self.problems.append(Problem(message=message, at=extent_of(event)))
