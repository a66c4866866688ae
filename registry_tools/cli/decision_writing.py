"""Decisions about published evaluators, as the commands write them into a YAML file.

Comments and order stay as people wrote them. The text is changed at one place, then read again: if
it does not say what was meant, or a comment is lost, nothing is written.
"""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.files import atomic_files
from agentevals.files.document_places import quote
from agentevals.files.yaml_events import read_plain
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import ConfigError, InputError, Problem
from agentevals.model.plugins import suggestion
from registry_tools.index import index_build, index_repository
from registry_tools.manifests import registry_folder, registry_tombstones
from registry_tools.manifests.registry_folder import FOLDER, Registry
from registry_tools.manifests.registry_tombstones import (
    FILE,
    REMOVED,
    YANKED,
    Tombstones,
    parse,
    read,
)

_MOST = 50  # names that a guess is made from
Where = tuple[str, ...]  # a section, a name, and perhaps a version
_INDENT = 2


@dataclass(frozen=True)
class Desk:
    """A registry whose maintainer decides: its folder, its history and its file of decisions."""

    root: Path

    @cached_property
    def here(self) -> Registry:
        return registry_folder.read(registry_folder.find([self.root]).root)

    @property
    def path(self) -> Path:
        return self.here.root / FILE

    @cached_property
    def decisions(self) -> Tombstones:
        """The decisions so far; ConfigError with every problem where the file is broken."""
        found, problems = registry_tombstones.read_folder(self.here)
        if problems:
            raise ConfigError(
                Problem(message=one.advice, path=str(self.path), at=one.at) for one in problems
            )
        return found

    @cached_property
    def index(self) -> Index:
        """The index of the branch here, with earlier versions."""
        return index_build.build_index(self.here.root).index

    def get_entry(self, name: str) -> IndexEntry:
        """Return an entry that is listed, or InputError with the nearest name."""
        listed = {entry.name: entry for entry in self.index.evaluators}
        if name in listed:
            return listed[name]
        if said := self.decisions.removed.get(name):
            msg = f"{quote(name)} was removed already: {said.reason}"
            raise InputError(msg)
        msg = f"there is no evaluator {quote(name)} here{suggestion(name, list(listed)[:_MOST])}"
        raise InputError(msg)

    def was_there(self, name: str) -> bool:
        """Return whether there is such an evaluator, or ever was one."""
        if name in self.here.by_name or any(e.name == name for e in self.index.evaluators):
            return True
        found = index_repository.find(self.here.root)
        if found is None:
            return False
        commit = found.resolve("HEAD")
        if any(
            entry.name == name for entry in index_build.read_published(found, commit).evaluators
        ):
            return True
        return next(iter(found.list_changes(commit, f"{FOLDER}/{name}")), None) is not None

    def refuse_unknown(self, name: str) -> None:
        """Raise InputError for an evaluator that never was."""
        if not self.was_there(name):
            self.get_entry(name)

    def record(self, where: Where, value: Any) -> None:
        """Write a decision, in the place of an earlier one about the same."""
        text = self._read()
        section, *names = where
        if names == [name for name in names if name in getattr(self.decisions, section)]:
            text = drop(text, where)
        self._write(put(text, where, value))

    def take_back(self, where: Where) -> None:
        """Remove a decision."""
        self._write(drop(self._read(), where))

    def _read(self) -> str:
        """Return the text of the file, which nothing is wrong with."""
        is_there = self.decisions is not None and self.path.exists()
        return self.path.read_text(encoding="utf-8") if is_there else ""

    def _write(self, text: str) -> None:
        mode = self.path.stat().st_mode & 0o777 if self.path.exists() else 0o644
        try:
            atomic_files.write(self.path, text.encode(), mode=mode)
        except OSError as error:
            msg = f"{self.path}: cannot be written to: {(error.strerror or 'unknown').lower()}"
            raise InputError(msg) from None


def list_versions(entry: IndexEntry) -> Iterator[str]:
    """Yield the versions that an entry has had, the newest first."""
    yield from filter(None, (entry.version, *(one.version for one in entry.earlier)))


def find_decision(desk: Desk, name: str, version: str) -> Where:
    """Return the decision that withdraws a version or an evaluator, or InputError."""
    where = (YANKED, name, version) if version else (REMOVED, name)
    known = desk.decisions.yanked.get(name, {}) if version else desk.decisions.removed
    if where[-1] in known:
        return where
    what = f"{name} {version}" if version else name
    known_names = list(known)[:_MOST]
    hint = suggestion(where[-1], known_names) if known_names else ""
    if not version and name in desk.decisions.yanked:
        hint = f"; withdrawn are its versions {', '.join(desk.decisions.yanked[name])}"
    msg = f"{FILE} says nothing of {quote(what)}{hint}"
    raise InputError(msg)


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
