"""JSON of whatever traces and evaluators put into a report, even what JSON cannot say."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

_DEPTH = 100  # levels kept of a value that is nested too deeply to be encoded as it is
_BITS = 10_000  # of an integer; Python refuses to write much longer ones
_NOT_ASCII = re.compile(r"[^\x00-\x7e]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
# GitHub's runner obeys this wherever it stands in a line; JSON can spell it differently
_COMMAND, _SPELT_OUT = b"##[", rb"#\u0023["


def encode(value: object, *, order: Literal["deterministic"] | None = None) -> bytes:
    """Return compact JSON. Values without JSON of their own are replaced, and never fail."""
    try:
        return msgspec.json.encode(value, enc_hook=unfold, order=order)
    except (RecursionError, TypeError, ValueError):
        return msgspec.json.encode(_clean(value, _DEPTH), order=order)


def unfold(value: object) -> object:
    """Return a mapping or a sequence of its own kind, such as one on disk, as it is written."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError


def pretty(value: object, *, level: int = 0) -> str:
    """Return indented ASCII-only JSON, as it is written that many levels deep in a document."""
    written = encode(value).replace(_COMMAND, _SPELT_OUT)
    formatted = msgspec.json.format(b"[" * level + written + b"]" * level, indent=2)
    brackets = level * (level + 1)
    text = formatted[brackets : len(formatted) - brackets].decode()
    if text.isascii() and "\x7f" not in text:
        return text
    return _NOT_ASCII.sub(lambda run: json.dumps(run.group())[1:-1], text)


def readable(value: object) -> str:
    """Return indented JSON for people: with the letters that were written, and one line end."""
    return msgspec.json.format(encode(value), indent=2).decode() + "\n"


def shorten(value: object, longest: int) -> str:
    """Return compact JSON, cut to this many characters."""
    text = encode(value).decode()
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


class Members(NamedTuple):
    """An object, of which one member is written at a time."""

    pairs: Iterable[tuple[str, object]]


class Items(NamedTuple):
    """An array, of which one item is written at a time."""

    values: Iterable[object]


class Parts(NamedTuple):
    """An array, of which `join_items` has written one part after the other."""

    texts: Iterable[str]


_WRITTEN_IN_PIECES = (Members, Items, Parts)


def join_items(values: Iterable[object], *, level: int) -> str:
    """Return a part of an array that lies that many levels deep; empty if it has no item."""
    space = "\n" + "  " * (level + 1)
    return ",".join([f"{space}{pretty(item, level=level + 1).lstrip()}" for item in values])


def document(value: object) -> Iterator[str]:
    """Yield the value as a whole file."""
    yield from _pieces(value, 0)
    yield "\n"


def _pieces(value: object, level: int) -> Iterator[str]:
    if isinstance(value, Members):
        labelled = ((f'"{name}": ', member) for name, member in value.pairs)
        yield from _enclose("{}", labelled, level)
    elif isinstance(value, Items):
        yield from _enclose("[]", (("", item) for item in value.values), level)
    elif isinstance(value, Parts):
        yield from _put_together(value.texts, level)
    else:
        yield pretty(value, level=level).lstrip()


def _enclose(brackets: str, items: Iterable[tuple[str, object]], level: int) -> Iterator[str]:
    space = "\n" + "  " * level
    before = brackets[0]
    for label, item in items:
        start = f"{before}{space}  {label}"
        if isinstance(item, _WRITTEN_IN_PIECES):
            yield start
            yield from _pieces(item, level + 1)
        else:
            yield start + pretty(item, level=level + 1).lstrip()
        before = ","
    yield f"{space}{brackets[1]}" if before == "," else brackets


def _put_together(texts: Iterable[str], level: int) -> Iterator[str]:
    before = "["
    for text in filter(None, texts):
        yield before + text
        before = ","
    yield f"\n{'  ' * level}]" if before == "," else "[]"


def _clean(value: Any, depth: int) -> Any:
    if depth == 0:
        return "(nested too deeply)"
    if isinstance(value, msgspec.Struct):
        members = msgspec.structs.asdict(value).items()
        value = {name: member for name, member in members if member is not msgspec.UNSET}
    if isinstance(value, dict):
        return {_clean_text(str(key)): _clean(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(item, depth - 1) for item in value]
    if isinstance(value, bool | float | None):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _BITS else "(a number too long to write)"
    return _clean_text(value if isinstance(value, str) else repr(value))


def _clean_text(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)
