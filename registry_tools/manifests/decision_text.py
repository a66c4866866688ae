"""Change one decision in the text of a YAML file: comments and order stay as people wrote them.

The text is changed at one place, then read again: if it does not say what was meant, or a comment
is lost, nothing is written.
"""

import copy
import json
from typing import Any

from agentevals.files.yaml_events import read_plain
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import InputError
from registry_tools.manifests.tombstones import FILE, parse, read

Where = tuple[str, ...]  # a section, a name, and perhaps a version
_INDENT = 2


def put(text: str, where: Where, value: Any) -> str:
    """Return the text with a new decision at this place."""
    after = copy.deepcopy(_get_value(text))
    inner = after
    for key in where[:-1]:
        inner[key] = inner.get(key) or {}
        inner = inner[key]
    inner[where[-1]] = value
    return _check(text, _insert(text, where, value), after)


def drop(text: str, where: Where) -> str:
    """Return the text without the decision at this place, and without what is empty then."""
    after = copy.deepcopy(_get_value(text))
    while len(where) > 1 and len(_get(after, where[:-1])) == 1:
        where = where[:-1]
    del _get(after, where[:-1])[where[-1]]
    return _check(text, _remove(text, where), after)


def _get_value(text: str) -> dict[str, Any]:
    value = parse(text.encode()).value
    return value if isinstance(value, dict) else {}


def _get(value: Any, where: Where) -> Any:
    for key in where:
        value = value[key]
    return value


def _check(before: str, text: str, meant: dict[str, Any]) -> str:
    """Return the text if it says what was meant, and has all comments."""
    said, (_, problems) = _get_value(text), read(text.encode())
    left = iter(text.splitlines())
    kept = all(line in left for line in before.splitlines() if line.lstrip().startswith("#"))
    if said != meant or not kept:
        msg = f"{FILE}: this command cannot change how it is written; change its lines yourself"
        raise InputError(msg)
    if problems:
        raise InputError(problems[0].advice)
    return text


def _insert(text: str, where: Where, value: Any) -> str:
    document, depth, inner = parse(text.encode()), 0, _get_value(text)
    while depth < len(where) and isinstance(inner.get(where[depth]), dict):
        inner, depth = inner[where[depth]], depth + 1
    parent, rest = where[:depth], where[depth:]
    if depth == 0 and rest[0] not in inner and not _is_flow(document, ()):
        return _append(text, rest, value)
    if rest[0] in inner:  # a key without a value
        at = document.locate(where[: depth + 1], key=True)
        return _add_line(text, at.end, at.column - 1 + _INDENT, rest[1:], value)
    if _is_flow(document, parent):
        return _add_item(text, document, parent, _write_item(rest, value))
    column = document.locate((*parent, next(iter(inner))), key=True).column
    return _add_line(text, _find_end(document, parent, inner), column - 1, rest, value)


def _append(text: str, rest: Where, value: Any) -> str:
    """Add a section at the end of the file."""
    begin = f"{text.rstrip(chr(10))}\n" if text.strip() else ""
    return f"{begin}{rest[0]}:\n{' ' * _INDENT}{_write_item(rest[1:], value)}\n"


def _add_line(text: str, end: int, indent: int, rest: Where, value: Any) -> str:
    """Add a line behind the one in which something ends."""
    at = text.find("\n", end)
    head, tail = (text[:at], text[at:]) if at >= 0 else (text, "\n")
    return f"{head}\n{' ' * indent}{_write_item(rest, value)}{tail}"


def _add_item(text: str, document: StrictDocument, parent: Where, item: str) -> str:
    """Add an item before the brace that ends a mapping."""
    extent = document.locate(parent)
    inside = text[extent.start + 1 : extent.end - 1]
    comma = ", " if inside.strip() and not inside.rstrip().endswith(",") else ""
    return f"{text[: extent.start + 1]}{inside.rstrip()}{comma}{item}{text[extent.end - 1 :]}"


def _remove(text: str, where: Where) -> str:
    document, parent = parse(text.encode()), where[:-1]
    siblings = list(_get(_get_value(text), parent))
    key = document.locate(where, key=True)
    end = _find_end(document, where, _get(_get_value(text), where))
    if not _is_flow(document, parent):
        begin, last = text.rfind("\n", 0, key.start) + 1, text.find("\n", end) + 1
        gone = text[begin : last or None].splitlines(keepends=True)
        comments = (line for line in gone if line.lstrip().startswith("#"))
        return text[:begin] + "".join(comments) + (text[last:] if last else "")
    at = siblings.index(where[-1])
    if at:
        before = (*parent, siblings[at - 1])
        start = _find_end(document, before, _get(_get_value(text), before))
        return text[:start] + text[end:]
    after = document.locate((*parent, siblings[1]), key=True).start if len(siblings) > 1 else end
    return text[: key.start] + text[after:]


def _find_end(document: StrictDocument, where: Where, value: Any) -> int:
    """Return where a value ends; a block mapping ends with the last of its values."""
    if not isinstance(value, dict) or _is_flow(document, where):
        key = document.locate(where, key=True)
        return max(document.locate(where).end, key.end) if value is not None else key.end
    return max(_find_end(document, (*where, key), inner) for key, inner in value.items())


def _is_flow(document: StrictDocument, where: Where) -> bool:
    return document.get_source(where)[:1] == "{"


def _write_item(rest: Where, value: Any) -> str:
    """Write what stands in one line: a key, and its value in braces."""
    key, *inner = rest
    if inner:
        return f"{_write_key(key)}: {{{_write_item(tuple(inner), value)}}}"
    return f"{_write_key(key)}: {_write_value(value)}"


def _write_value(value: Any) -> str:
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return "{" + ", ".join(_write_item((key,), one) for key, one in value.items()) + "}"


def _write_key(key: str) -> str:
    is_plain = key.replace("_", "a").replace("-", "a").isalnum() and read_plain(key) == key
    return key if is_plain else json.dumps(key)
