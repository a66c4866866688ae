"""Lists of evaluators, in all sources or in one, for people and for programs."""

import asyncio
import logging
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import msgspec

from agentevals.evaluator import evaluator_names, evaluator_settings
from agentevals.evaluator.registry_catalogue import Registry
from agentevals.evaluator.registry_index import IndexEntry, describe_entry, list_capabilities
from agentevals.evaluator.sources import EvaluatorInfo, EvaluatorSource, get_sources
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.plugins import suggestion
from agentevals.text.terminal import line, pad, plain, width

log = logging.getLogger(__name__)

_HEAD = ("NAME", "VERSION", "SOURCE", "UPDATED", "DESCRIPTION")


def list_evaluators(wanted: str) -> list[EvaluatorInfo]:
    """Return the evaluators of one source, or of every source that answers for `all`; sorted."""
    sources = {source.source_name: source for source in get_sources()}
    if wanted == "all":
        found = [info for source in sources.values() for info in list_reachable(source)]
    elif wanted in sources:
        found = ask_source(sources[wanted])
    else:
        msg = f"unknown source {wanted!r}{suggestion(wanted, ['all', *sources])}"
        raise InputError(msg)
    return sorted(found, key=lambda info: (info.source, info.name))


def trust_anew(wanted: str) -> str:
    """Forget what was seen of a registry, read it as it is now, and describe that."""
    source = next((each for each in get_sources() if each.source_name == wanted), None)
    if not isinstance(source, Registry) or source.problem:
        problem = source.problem if source else ""
        msg = problem or f"{wanted!r} is no registry with an index; name github or https"
        raise InputError(msg)
    for memory in source.list_memories():
        memory.forget()
    signer = source.current.signer
    signed = f"signed by {signer}" if signer else "signed by nobody"
    numbers = [seen.sequence for memory in source.list_memories() if (seen := memory.recall())]
    number = f"its index no. {numbers[0]}" if numbers else "its index, which has no number"
    return f"{source.where}: {number}, {signed}, is trusted from now on"


def ask_source(source: EvaluatorSource) -> list[EvaluatorInfo]:
    """Ask one source. Sources are third-party code, and may return anything."""
    if source.problem:
        raise InputError(source.problem)
    given: object = asyncio.run(source.list_evaluators())
    if not isinstance(given, list):
        what = f"gave {type(given).__name__}, not a list of evaluators; correct list_evaluators"
        msg = f"source {source.source_name!r} {what}"
        raise InputError(msg)
    return given


def list_reachable(source: EvaluatorSource) -> list[EvaluatorInfo]:
    """List one source; one that does not answer must not hide the others."""
    if source.problem:
        return []
    try:
        return ask_source(source)
    except InputError as error:
        log.warning("%s", error)
        return []
    except UnavailableError as error:
        log.warning("source %r: %s", source.source_name, error)
        return []


def filter_by_words(words: Iterable[str], found: Iterable[EvaluatorInfo]) -> list[EvaluatorInfo]:
    """Return the evaluators whose texts have every word. A match in the name comes first."""
    wanted = [word.casefold() for word in words]
    kept = [info for info in found if all(word in _join_texts(info) for word in wanted)]
    return sorted(kept, key=lambda info: not all(w in info.name.casefold() for w in wanted))


def _join_texts(info: EvaluatorInfo) -> str:
    parts = (info.name, info.description, info.language or "", info.author or "")
    return "\n".join((*parts, *info.tags, *info.aliases)).casefold()


def format_table(found: Iterable[EvaluatorInfo], columns: int = sys.maxsize) -> Iterator[str]:
    """Format lines for a terminal of so many columns. Versions are shown where there are some."""
    rows = [_build_row(info) for info in found]
    rows = [_HEAD, *rows]
    used = [max(width(row[column]) for row in rows) for column in range(4)]
    if not any(row[1] for row in rows[1:]):
        used[1] = 0
    for *cells, description in rows:
        start = "  ".join(pad(cell, used[at]) for at, cell in enumerate(cells) if used[at])
        left = max(10, columns - width(start) - 2)
        yield line(f"{start}  {pad(description, min(left, width(description)))}")


def _build_row(info: EvaluatorInfo) -> tuple[str, ...]:
    language = f" [{info.language}]" if info.language else ""
    state = "(withdrawn) " if info.yanked else "(deprecated) " if info.deprecated else ""
    updated = (info.last_updated or "")[:10]
    described = f"{state}{info.description}{language}"
    return tuple(map(plain, (info.name, info.version or "", info.source, updated, described)))


class Shown(msgspec.Struct, frozen=True):
    """One evaluator with everything that its source holds."""

    info: EvaluatorInfo
    entry: IndexEntry | None = None
    where: str = ""


def find_one(name: str, source: str) -> Shown:
    """Return the evaluator of that name from the first source that has it."""
    known: list[str] = []
    sources = {each.source_name: each for each in get_sources()}
    if source != "all" and source not in sources:
        msg = f"unknown source {source!r}{suggestion(source, ['all', *sources])}"
        raise InputError(msg)
    for each in sources.values():
        if source in {"all", each.source_name}:
            infos = list_reachable(each) if source == "all" else ask_source(each)
            if found := _find_in(name, each, infos):
                return found
            known += [info.name for info in infos]
    msg = f"unknown evaluator {plain(name, 100)!r} {plain(suggestion(name, known), 500)}".rstrip()
    raise InputError(msg)


def build_details(shown: Shown) -> dict[str, Any]:
    """Build one JSON object of everything that an index or a list holds."""
    said: dict[str, Any] = msgspec.to_builtins(shown.entry) if shown.entry else {}
    return {**asdict(shown.info), **said, "registry": shown.where or None}


def _find_in(name: str, source: EvaluatorSource, infos: list[EvaluatorInfo]) -> Shown | None:
    if isinstance(source, Registry):
        if not any(name == info.name or name in info.aliases for info in infos):
            return None
        entry = evaluator_names.find_entry(
            name, source.read_listed().find(name), where=source.where
        )
        info = describe_entry(entry, source.source_name)
        return Shown(info=info, entry=entry, where=source.where)
    found = next((info for info in infos if info.name == name), None)
    return Shown(info=found) if found else None


def describe(shown: Shown) -> Iterator[str]:
    """Describe one evaluator, line by line."""
    info, entry = shown.info, shown.entry
    title = " ".join(part for part in (info.name, entry.version if entry else "") if part)
    yield line(plain(title))
    for paragraph in info.description.splitlines():
        yield line(plain(paragraph))
    yield "\n"
    for name, value in _list_facts(shown):
        if value:
            yield line(f"{pad(name, 13)} {plain(value)}")


def _list_facts(shown: Shown) -> Iterator[tuple[str, str]]:
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
    yield "may", _describe_permissions(entry)
    yield (
        "config",
        ", ".join(
            map(evaluator_settings.describe, evaluator_settings.list_settings(entry.config_schema))
        ),
    )
    yield "needs", ", ".join(f"{k} {v}" for k, v in _list_runtimes(entry))
    yield "judges by", ", ".join(entry.needs)
    yield "same result", "" if entry.deterministic else "not every time"
    yield "names before", ", ".join(entry.aliases)
    yield "deprecated", entry.deprecated
    yield "withdrawn", entry.yanked
    yield "use instead", entry.replaced_by
    yield "older", ", ".join(each.version for each in entry.earlier)
    yield "sha256", entry.sha256 or "not known: the index has no digests"


def _describe_permissions(entry: IndexEntry) -> str:
    said = list_capabilities(entry)
    parts = [
        f"{key}: {', '.join(map(str, value))}" if isinstance(value, list) else key
        for key, value in said.items()
    ]
    return "; ".join(parts) or "nothing beyond its own folder"


def _list_runtimes(entry: IndexEntry) -> Iterable[tuple[str, str]]:
    said: dict[str, str] = msgspec.to_builtins(entry.runtime)
    return [(name, value) for name, value in said.items() if value]
