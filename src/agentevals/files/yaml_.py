"""YAML: the value and the place of everything in it, in one pass over the parser's events.

The composer of libyaml is recursive in C and crashes on deep nesting; its parser is not.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import yaml

from agentevals.files.places import DEEPEST, Fault, Node, UnreadableError, quoted, too_deep, twice

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_REPEATED = 100_000  # values that aliases may stand for; a "billion laughs" has many more
_STANDARD = "tag:yaml.org,2002:"
_PLAIN = {f"{_STANDARD}{kind}" for kind in ("str", "int", "float", "bool", "null")}
_CONTAINERS = {f"{_STANDARD}{kind}" for kind in ("seq", "map")} | {None, "!"}


def scan(text: str) -> tuple[Any, Node, list[Fault]]:
    """The value with its places, and everything that is wrong with it."""
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except UnreadableError as error:
        builder.faults.append(error.fault)
    except yaml.MarkedYAMLError as error:
        builder.faults.append(_syntax(error, text))
    except yaml.reader.ReaderError:
        builder.faults.append(_unprintable(text))
    return builder.root.value, builder.root.node, builder.faults


def _syntax(error: yaml.MarkedYAMLError, text: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.split("\n")
    if line < len(lines) and lines[line][column : column + 1] == "\t":
        message = "not valid YAML: a tab cannot indent; use spaces"
    else:
        told = " ".join(part for part in (error.problem, error.context) if part)
        message = f"not valid YAML: {told}"
    return Fault(message, line + 1, column + 1)


def _unprintable(text: str) -> Fault:
    at = next((i for i, char in enumerate(text) if not _printable(char)), 0)
    line = text.count("\n", 0, at)
    column = at - (text.rfind("\n", 0, at) + 1)
    message = f"the character {quoted(text[at : at + 1])} is not allowed in YAML; remove it"
    return Fault(message, line + 1, column + 1)


def _printable(char: str) -> bool:
    return not yaml.reader.Reader.NON_PRINTABLE.match(char)


class _Scalars(yaml.constructor.SafeConstructor, yaml.resolver.Resolver):
    """What PyYAML knows about plain scalars, without a stream to read."""

    def __init__(self) -> None:
        yaml.constructor.SafeConstructor.__init__(self)
        yaml.resolver.Resolver.__init__(self)


_SCALARS: Any = _Scalars()


@dataclass(slots=True)
class _Built:
    """A value that is complete, with how many values it holds and how deep it goes."""

    value: Any
    node: Node
    size: int = 1
    height: int = 0


@dataclass(slots=True)
class _Open:
    """A sequence or a mapping that is being read."""

    built: _Built
    anchor: str | None
    key: str | None = None
    merged: list[_Built] = field(default_factory=list)


_MERGE = "<<"


class _Builder:
    """Puts the events together, and collects what is wrong with them."""

    def __init__(self) -> None:
        self.root = _Built(None, Node(1, 1))
        self.faults: list[Fault] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, _Built] = {}
        self._documents = self._repeated = 0

    def take(self, event: yaml.Event) -> None:
        """Grow by one event."""
        handle = _HANDLERS.get(type(event))
        if handle is not None:
            handle(self, event)

    def document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            message = "a second YAML document starts here; keep one in each file"
            raise UnreadableError(Fault(message, *_place(event)))

    def scalar(self, event: Any) -> None:
        value, raw = self._read(event)
        if self._wants_key():
            self._set_key(event, value, raw)
        else:
            self._add(_Built(value, Node(*_place(event), raw)), event.anchor)

    def start(self, event: Any) -> None:
        if self._wants_key():
            raise UnreadableError(
                Fault("a key must be text, not a list or a mapping", *_place(event))
            )
        if len(self._open) >= DEEPEST:
            raise too_deep(*_place(event))
        if event.tag not in _CONTAINERS:
            self._refuse_tag(event)
        value: Any = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self._open.append(_Open(_Built(value, Node(*_place(event))), event.anchor))

    def end(self, _: Any) -> None:
        done = self._open.pop()
        for source in done.merged:
            self._merge(source, done.built)
        self._add(done.built, done.anchor)

    def alias(self, event: Any) -> None:
        place = _place(event)
        built = self._anchors.get(event.anchor)
        if built is None:
            raise UnreadableError(
                Fault(f"the alias *{event.anchor} stands for nothing that is complete", *place)
            )
        if self._wants_key():
            raise UnreadableError(Fault("a key must be text, not an alias", *place))
        self._repeated += built.size
        if self._repeated > _REPEATED:
            raise UnreadableError(
                Fault(f"aliases repeat more than {_REPEATED:,} values; write fewer", *place)
            )
        if len(self._open) + built.height > DEEPEST:
            raise too_deep(*place)
        self._add(built, None)

    def _wants_key(self) -> bool:
        if not self._open:
            return False
        inner = self._open[-1]
        return inner.key is None and isinstance(inner.built.value, dict)

    def _set_key(self, event: Any, value: object, raw: str | None) -> None:
        inner, place, key = self._open[-1], _place(event), event.value
        if raw is not None and raw != _as_number(value):
            message = f"the key {quoted(key)} is read as {json.dumps(value)}; write it in quotes"
            self.faults.append(Fault(message, *place))
        seen = inner.built.node.keys
        if key in seen:
            self.faults.append(twice(key, seen[key], *place))
        elif key != _MERGE or not event.implicit[0]:
            seen[key] = place
        inner.key = key

    def _add(self, built: _Built, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = built
        if not self._open:
            self.root = built
            return
        inner = self._open[-1]
        whole, key = inner.built, inner.key
        whole.size += built.size
        whole.height = max(whole.height, built.height + 1)
        if isinstance(whole.value, list):
            whole.node.children[len(whole.value)] = built.node
            whole.value.append(built.value)
        elif key == _MERGE and key not in whole.node.keys:
            inner.merged.append(built)
        elif key is not None:
            whole.value[key], whole.node.children[key] = built.value, built.node
        inner.key = None

    def _merge(self, source: _Built, target: _Built) -> None:
        """`<<: *other` adds what the mapping does not say itself."""
        several = isinstance(source.value, list)
        for index, value in enumerate(source.value if several else [source.value]):
            node = source.node.children[index] if several else source.node
            if not isinstance(value, dict):
                self.faults.append(Fault("'<<' takes a mapping", node.line, node.column))
                continue
            for key in value:
                if key not in target.value:
                    target.value[key] = value[key]
                    target.node.children[key] = node.children[key]
                    target.node.keys[key] = node.keys[key]

    def _read(self, event: Any) -> tuple[Any, str | None]:
        """The value of a scalar; and how it was written, when it was not read as text."""
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
            self._fault(event, f"{quoted(event.value, 20)} cannot be read as !!{kind}")
            return None
        if isinstance(value, float) and not isfinite(value):
            self._fault(event, f"{quoted(event.value, 20)} is not a finite number")
            return None
        return value

    def _refuse_tag(self, event: Any) -> None:
        self._fault(event, f"the tag {quoted(event.tag)} is not supported; remove it")

    def _fault(self, event: Any, message: str) -> None:
        self.faults.append(Fault(message, *_place(event)))


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


_HANDLERS: dict[type[yaml.Event], Callable[[_Builder, Any], None]] = {
    yaml.DocumentStartEvent: _Builder.document,
    yaml.ScalarEvent: _Builder.scalar,
    yaml.SequenceStartEvent: _Builder.start,
    yaml.MappingStartEvent: _Builder.start,
    yaml.SequenceEndEvent: _Builder.end,
    yaml.MappingEndEvent: _Builder.end,
    yaml.AliasEvent: _Builder.alias,
}


def _as_number(value: object) -> str:
    """How JSON would spell a whole number; as a key it can mean nothing else."""
    return str(value) if type(value) is int else ""
