"""Which evaluators there are, in all sources or in one, for people and for programs."""

import asyncio
import logging
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import msgspec

from agentevals.evaluator import names
from agentevals.evaluator.catalogue import Listed, Registry, granted, listed
from agentevals.evaluator.index import IndexEntry
from agentevals.evaluator.sources import EvaluatorInfo, EvaluatorSource, get_sources
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.plugins import suggestion
from agentevals.text.terminal import line, pad, plain, width

log = logging.getLogger(__name__)

_HEAD = ("NAME", "VERSION", "SOURCE", "UPDATED", "DESCRIPTION")


def of(wanted: str) -> list[EvaluatorInfo]:
    """What one source has, or every one that answers with `all`; sorted."""
    sources = {source.source_name: source for source in get_sources()}
    if wanted == "all":
        found = [info for source in sources.values() for info in reachable(source)]
    elif wanted in sources:
        found = given_by(sources[wanted])
    else:
        msg = f"unknown source {wanted!r}{suggestion(wanted, ['all', *sources])}"
        raise InputError(msg)
    return sorted(found, key=lambda info: (info.source, info.name))


def given_by(source: EvaluatorSource) -> list[EvaluatorInfo]:
    """Sources are other people's code, and may still be without one."""
    if source.problem:
        raise InputError(source.problem)
    given: object = asyncio.run(source.list_evaluators())
    if not isinstance(given, list):
        what = f"gave {type(given).__name__}, not a list of evaluators; correct list_evaluators"
        msg = f"source {source.source_name!r} {what}"
        raise InputError(msg)
    return given


def reachable(source: EvaluatorSource) -> list[EvaluatorInfo]:
    """One source that does not answer must not hide the others."""
    if source.problem:
        return []
    try:
        return given_by(source)
    except InputError as error:
        log.warning("%s", error)
        return []
    except UnavailableError as error:
        log.warning("source %r: %s", source.source_name, error)
        return []


def matching(words: Iterable[str], found: Iterable[EvaluatorInfo]) -> list[EvaluatorInfo]:
    """Those that have every word somewhere; where it is a part of the name they come first."""
    wanted = [word.casefold() for word in words]
    kept = [info for info in found if all(word in _text(info) for word in wanted)]
    return sorted(kept, key=lambda info: not all(w in info.name.casefold() for w in wanted))


def _text(info: EvaluatorInfo) -> str:
    aliases = info.aliases if isinstance(info, Listed) else []
    parts = (info.name, info.description, info.language or "", info.author or "")
    return "\n".join((*parts, *info.tags, *aliases)).casefold()


def as_json(info: EvaluatorInfo) -> dict[str, Any]:
    """The same keys for every evaluator, whoever lists it."""
    return asdict(info if isinstance(info, Listed) else Listed(**asdict(info)))


def table(found: Iterable[EvaluatorInfo], columns: int = sys.maxsize) -> Iterator[str]:
    """Lines for a terminal of so many columns. A version is only shown where there are some."""
    rows = [_row(info) for info in found]
    rows = [_HEAD, *rows]
    used = [max(width(row[column]) for row in rows) for column in range(4)]
    if not any(row[1] for row in rows[1:]):
        used[1] = 0
    for *cells, description in rows:
        start = "  ".join(pad(cell, used[at]) for at, cell in enumerate(cells) if used[at])
        left = max(10, columns - width(start) - 2)
        yield line(f"{start}  {pad(description, min(left, width(description)))}")


def _row(info: EvaluatorInfo) -> tuple[str, ...]:
    language = f" [{info.language}]" if info.language else ""
    version, state = "", ""
    if isinstance(info, Listed):
        version = info.version or ""
        state = "(withdrawn) " if info.yanked else "(deprecated) " if info.deprecated else ""
    updated = (info.last_updated or "")[:10]
    described = f"{state}{info.description}{language}"
    return tuple(map(plain, (info.name, version, info.source, updated, described)))


class Shown(msgspec.Struct, frozen=True):
    """One evaluator with all that its source says."""

    info: EvaluatorInfo
    entry: IndexEntry | None = None
    where: str = ""


def one(name: str, source: str) -> Shown:
    """The evaluator of that name, of the first source that has it."""
    known: list[str] = []
    sources = {each.source_name: each for each in get_sources()}
    if source != "all" and source not in sources:
        msg = f"unknown source {source!r}{suggestion(source, ['all', *sources])}"
        raise InputError(msg)
    for each in sources.values():
        if source in {"all", each.source_name}:
            infos = reachable(each) if source == "all" else given_by(each)
            if found := _shown(name, each, infos):
                return found
            known += [info.name for info in infos]
    msg = f"unknown evaluator {plain(name, 100)!r} {plain(suggestion(name, known), 500)}".rstrip()
    raise InputError(msg)


def details(shown: Shown) -> dict[str, Any]:
    """The same as one JSON object: all that an index says, or else what lists say."""
    said: dict[str, Any] = msgspec.to_builtins(shown.entry) if shown.entry else {}
    return {**as_json(shown.info), **said, "registry": shown.where or None}


def _shown(name: str, source: EvaluatorSource, infos: list[EvaluatorInfo]) -> Shown | None:
    if isinstance(source, Registry):
        if not any(name == info.name or name in _aliases(info) for info in infos):
            return None
        entry = names.named(name, source.index(), where=source.where)
        info = listed(entry, source.source_name)
        return Shown(info=info, entry=entry, where=source.where)
    found = next((info for info in infos if info.name == name), None)
    return Shown(info=found) if found else None


def _aliases(info: EvaluatorInfo) -> list[str]:
    return info.aliases if isinstance(info, Listed) else []


def described(shown: Shown) -> Iterator[str]:
    """What there is to know about one evaluator, line by line."""
    info, entry = shown.info, shown.entry
    title = " ".join(part for part in (info.name, entry.version if entry else "") if part)
    yield line(plain(title))
    for paragraph in info.description.splitlines():
        yield line(plain(paragraph))
    yield "\n"
    for name, value in _facts(shown):
        if value:
            yield line(f"{pad(name, 13)} {plain(value)}")


def _facts(shown: Shown) -> Iterator[tuple[str, str]]:
    info, entry = shown.info, shown.entry
    yield "source", f"{info.source} ({shown.where})" if shown.where else info.source
    yield "language", info.language or ""
    yield "ref", info.ref or ""
    yield "tags", ", ".join(info.tags)
    yield "author", info.author or ""
    yield "updated", info.last_updated or ""
    if entry is None:
        return
    yield "maintainers", ", ".join(person.login for person in entry.maintainers)
    yield "license", entry.license
    yield "may", _permissions(entry)
    yield "config", ", ".join(_settings(entry))
    yield "needs", ", ".join(f"{k} {v}" for k, v in _runtimes(entry))
    yield "same result", "" if entry.deterministic else "not every time"
    yield "names before", ", ".join(entry.aliases)
    yield "deprecated", entry.deprecated
    yield "withdrawn", entry.yanked
    yield "use instead", entry.replaced_by
    yield "older", ", ".join(each.version for each in entry.earlier)
    yield "sha256", entry.sha256 or "not known: the index has no digests"


def _permissions(entry: IndexEntry) -> str:
    """What it asks for beyond its own folder."""
    said = granted(entry)
    parts = [
        f"{key}: {', '.join(map(str, value))}" if isinstance(value, list) else key
        for key, value in said.items()
    ]
    return "; ".join(parts) or "nothing beyond its own folder"


def _settings(entry: IndexEntry) -> Iterable[str]:
    schema = entry.config_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return list(properties) if isinstance(properties, dict) else []


def _runtimes(entry: IndexEntry) -> Iterable[tuple[str, str]]:
    said: dict[str, str] = msgspec.to_builtins(entry.runtime)
    return [(name, value) for name, value in said.items() if value]
