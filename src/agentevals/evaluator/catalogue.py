"""Registries that list what they have: a reference becomes a pin before anything is fetched."""

import logging
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from agentevals.evaluator import folders, names
from agentevals.evaluator import index as indexes
from agentevals.evaluator import pin as pins
from agentevals.evaluator.index import EvaluatorInfo, Index, IndexEntry
from agentevals.evaluator.pin import Pin
from agentevals.evaluator.sources import EvaluatorSource
from agentevals.model.errors import InputError, UnavailableError

log = logging.getLogger(__name__)

REQUIREMENTS = "requirements.txt"


@dataclass(frozen=True)
class Listed(EvaluatorInfo):
    """What an index says beyond a name and a description."""

    version: str | None = None
    license: str | None = None
    deprecated: str | None = None
    yanked: str | None = None
    replaced_by: str | None = None
    aliases: list[str] = field(default_factory=list)
    capabilities: dict[str, Any] = field(default_factory=dict)
    deterministic: bool = True
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """An index as it is now, and the commit at which its files are; None without an index."""

    index: Index | None
    commit: str = ""


class Registry(EvaluatorSource):
    """A source with an index: it says which bytes it hands out before it does."""

    voucher: ClassVar[str] = "index"  # who says the digests of files

    @property
    @abstractmethod
    def repository(self) -> str:
        """What it reads, for locks: `github.com/owner/name`, an address."""

    @property
    def where(self) -> str:
        """The same for people."""
        return self.repository

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """What is there now, or UnavailableError."""

    @cached_property
    def current(self) -> Snapshot:
        """The same for as long as this object is used: a run sees one state of a registry."""
        return self.snapshot()

    @abstractmethod
    def file(self, pin: Pin, name: str) -> bytes | None:
        """One file below the folder of an evaluator; None where there is none."""

    def unlisted(self, pin: Pin) -> Iterable[str]:
        """The files of an evaluator whose index does not list them."""
        beside = REQUIREMENTS if "/" not in pin.entrypoint else ""
        return [pin.entrypoint, *([beside] if beside else [])]

    async def list_evaluators(self) -> list[EvaluatorInfo]:
        return [listed(entry, self.source_name) for entry in self.index().evaluators]

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:
        pin = self.resolve(ref)
        folder = dest.parents[pin.entrypoint.count("/")]
        for name, content in self.contents(pin).items():
            path = dest if name == pin.entrypoint else folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return dest

    def index(self) -> Index:
        """What is listed, or UnavailableError where nothing is."""
        found = self.current.index
        if found is None:
            msg = f"{self.where} has no index of evaluators"
            raise UnavailableError(msg)
        return found

    def resolve(self, ref: str) -> Pin:
        """Which bytes a reference means now."""
        names.check(ref)
        found = self.current
        choice = names.choose(ref, found.index, where=self.where) if found.index else None
        if choice is None and names.is_name(ref):
            msg = f"{ref!r} is a name, and {self.where} has no index; give a path"
            raise InputError(msg)
        if choice is None:
            return self._by_path(ref, found.commit)
        for said in names.deprecations(choice):
            log.warning("%s", said)
        return self._pinned(choice, found.commit)

    def contents(self, pin: Pin, said_by: str = "its index") -> dict[str, bytes]:
        """Every file, all as the pin says; InputError where one is not."""
        if folders.is_compiled(pin.entrypoint):
            msg = f"{pin} is a compiled file, which is never fetched or run"
            raise InputError(msg)
        wanted = folders.readable(pin.files or self.unlisted(pin), about=str(pin))
        folders.check(wanted, about=str(pin))
        found: dict[str, bytes] = {}
        for name in wanted:
            content = self.file(pin, name)
            if content is not None:
                found[name] = content
            if sum(map(len, found.values())) > folders.MOST_BYTES:
                msg = f"{pin} has more than {folders.MOST_BYTES >> 20} MiB; nothing of it is used"
                raise InputError(msg)
        return self._checked(pin, found, said_by)

    def _checked(self, pin: Pin, found: dict[str, bytes], said_by: str) -> dict[str, bytes]:
        if pin.entrypoint not in found:
            raise InputError(self.missing(pin))
        wrong = folders.differences(pin.files, folders.digests_of(found)) if pin.files else []
        if wrong:
            msg = f"{pin} is not what {said_by} says: {'; '.join(wrong)}"
            raise InputError(msg)
        return found

    def missing(self, pin: Pin) -> str:
        """The sentence for a program that is not there."""
        return f"{pin.path} does not exist in {self.where}"

    def _by_path(self, ref: str, commit: str) -> Pin:
        return Pin(
            source=self.source_name,
            repository=self.repository,
            path=ref,
            entrypoint=ref.rpartition("/")[2],
            commit=commit,
        )

    def _pinned(self, choice: names.Choice, commit: str) -> Pin:
        entry, earlier = choice.entry, choice.earlier
        path = (earlier.path if earlier else "") or entry.path
        files = earlier.files if earlier else entry.files
        about = f"{self.where}: the entry {entry.name!r}"
        folders.check([path], about=about)
        if files:
            folders.check_digests(files, about=about)
        pin = Pin(
            source=self.source_name,
            repository=self.repository,
            path=path,
            entrypoint=_entrypoint(entry, path, files, about),
            commit=(earlier.commit if earlier else entry.commit) or commit,
            name=entry.name,
            version=choice.version,
            files=dict(files),
            sha256=indexes.digest(files) if files else "",
        )
        return pins.readable(pin, about=about)


def _entrypoint(entry: IndexEntry, path: str, files: Iterable[str], about: str) -> str:
    """The end of the path that is the program's name below the folder of its entry."""
    said = entry.entrypoint or path.rpartition("/")[2]
    if f"/{path}".endswith(f"/{said}") and (not files or said in files):
        return said
    msg = f"{about} does not list its own program {path!r}; nothing of it is used"
    raise InputError(msg)


def listed(entry: IndexEntry, source: str) -> Listed:
    """An entry, for lists."""
    info = indexes.info(entry, source)
    return Listed(
        **vars(info),
        version=entry.version or None,
        license=entry.license or None,
        deprecated=entry.deprecated or None,
        yanked=entry.yanked or None,
        replaced_by=entry.replaced_by or None,
        aliases=list(entry.aliases),
        capabilities=granted(entry),
        deterministic=entry.deterministic,
        sha256=entry.sha256,
    )


def granted(entry: IndexEntry) -> dict[str, Any]:
    """The capabilities that are not the default, which is none."""
    said: dict[str, Any] = msgspec.to_builtins(entry.capabilities)
    lists = {key: list(value) for key, value in said.items() if isinstance(value, tuple)}
    return {key: value for key, value in {**said, **lists}.items() if value}
