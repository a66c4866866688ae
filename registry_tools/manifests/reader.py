"""The value of a manifest out of the events of libyaml's parser, and what is wrong with it.

The composer of libyaml is recursive in C and crashes on deep nesting; its parser is not.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from agentevals.files.places import quoted
from registry_tools.manifests.faults import DUPLICATE, REFERENCES, SCALAR, SYNTAX, UNREAD, Fault
from registry_tools.manifests.finding import Edit
from registry_tools.manifests.places import PARSER, Node, extent_of, locate
from registry_tools.manifests.scalars import AMBIGUOUS, plain_value

DEEPEST = 32  # levels
MOST_FAULTS = 100  # of one manifest; more of them help nobody
_MERGE: Final = "<<"


class StopError(Exception):
    """A fault after which nothing more can be read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class _Open:
    """A list or a mapping that is being read. `dropped` is a key that is there already."""

    value: Any
    is_map: bool
    key: str | None = None
    dropped: bool = False


@dataclass(slots=True)
class Reader:
    """Puts the events together, and collects what is wrong with them."""

    text: str
    faults: list[Fault]
    value: Any = UNREAD
    _open: list[_Open] = field(default_factory=list)
    _inner: _Open | None = None
    _documents: int = 0
    _places: Node | None = None

    def run(self) -> None:
        """Until the end of the text, or the first thing after which nothing makes sense."""
        loader = PARSER(self.text)
        take, scalar, handlers, faults = loader.get_event, self.scalar, _HANDLERS, self.faults
        try:
            while (event := take()) is not None and len(faults) < MOST_FAULTS:
                if type(event) is yaml.ScalarEvent:
                    scalar(event)
                elif (handle := handlers.get(type(event))) is not None:
                    handle(self, event)
        finally:
            loader.dispose()

    def document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            message = "a second YAML document starts here"
            raise StopError(Fault(SYNTAX, message, extent_of(event), "keep one in the file"))

    def scalar(self, event: Any) -> None:
        text = value = event.value
        if event.tag is not None or event.anchor is not None:
            self._refuse(event)
        if not event.style and event.implicit[0]:
            value = plain_value(text)
            if value is AMBIGUOUS:
                value = self._misread(event)
        inner = self._inner
        if inner is None:
            self.value = value
        elif not inner.is_map:
            inner.value.append(value)
        elif inner.key is None:
            self._key(inner, event, value)
        else:
            self._set(inner, value)

    def start(self, event: Any) -> None:
        if self._wants_key():
            message = "a key must be text, not a list or a mapping"
            raise StopError(Fault(SYNTAX, message, extent_of(event), "write a word there"))
        if len(self._open) >= DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            raise StopError(Fault(SYNTAX, message, extent_of(event), "flatten it"))
        if event.anchor is not None or event.tag is not None:
            self._refuse(event)
        is_map = isinstance(event, yaml.MappingStartEvent)
        self._inner = _Open({} if is_map else [], is_map)
        self._open.append(self._inner)

    def end(self, _: Any) -> None:
        done = self._open.pop()
        self._inner = self._open[-1] if self._open else None
        self._add(done.value)

    def alias(self, event: Any) -> None:
        message = f"*{event.anchor[:40]} repeats what stands elsewhere"
        self._fault(REFERENCES, event, message, "write it out here")
        inner = self._inner
        if inner is not None and self._wants_key():
            inner.key, inner.dropped = event.anchor, True
        else:
            self._add(UNREAD)

    def _key(self, inner: _Open, event: Any, value: Any) -> None:
        """Of a key that is read in different ways, text is made."""
        key = inner.key = event.value
        inner.dropped = key in inner.value or value is _MERGE
        if value is _MERGE:
            self._fault(REFERENCES, event, "'<<' merges another mapping", "write it out here")
        elif inner.dropped:
            message = f"{quoted(key)} is here twice, first in line {self._first(key)}"
            self._fault(DUPLICATE, event, message, "remove one of them")
        elif not isinstance(value, str):
            self._misread(event)

    def _set(self, inner: _Open, value: Any) -> None:
        if not inner.dropped:
            inner.value[inner.key] = value
        inner.key = None

    def _first(self, key: str) -> int:
        """The line in which the mapping that is being read has a key already."""
        if self._places is None:
            self._places = locate(self.text)
        above = [one.key if one.key is not None else len(one.value) for one in self._open[:-1]]
        return self._places.find(above).keys[key].line

    def _add(self, value: Any) -> None:
        inner = self._inner
        if inner is None:
            self.value = value
        elif inner.is_map:
            self._set(inner, value)
        else:
            inner.value.append(value)

    def _misread(self, event: Any) -> str:
        """Readers disagree on it, so it is taken for the text that it looks like."""
        text: str = event.value
        if text == _MERGE and self._wants_key():
            return _MERGE
        message = f"{quoted(text)} without quotes is not the same for every reader of YAML"
        extent, written = extent_of(event), f'"{text}"'
        edit = Edit(extent.start, extent.end, written)
        self.faults.append(Fault(SCALAR, message, extent, f"write {written}", edit))
        return text

    def _wants_key(self) -> bool:
        inner = self._inner
        return inner is not None and inner.is_map and inner.key is None

    def _refuse(self, event: Any) -> None:
        if event.anchor is not None:
            message = f"the anchor &{event.anchor[:40]} is for repeating"
            self._fault(REFERENCES, event, message, "remove it")
        if event.tag is not None:
            message = f"the tag {quoted(event.tag)} asks for a type"
            self._fault(REFERENCES, event, message, "remove it")

    def _fault(self, rule: str, event: Any, message: str, fix: str) -> None:
        self.faults.append(Fault(rule, message, extent_of(event), fix))


_HANDLERS: dict[type[yaml.Event], Callable[[Reader, Any], None]] = {
    yaml.DocumentStartEvent: Reader.document,
    yaml.SequenceStartEvent: Reader.start,
    yaml.MappingStartEvent: Reader.start,
    yaml.SequenceEndEvent: Reader.end,
    yaml.MappingEndEvent: Reader.end,
    yaml.AliasEvent: Reader.alias,
}
