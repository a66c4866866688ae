"""Registries that list what they have: a reference becomes a pin before anything is fetched."""

import logging
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from agentevals.evaluator import evaluator_files, evaluator_lock, evaluator_names
from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.evaluator_lock import Pin
from agentevals.evaluator.publication_age import Age
from agentevals.evaluator.published_index import Publication
from agentevals.evaluator.registry_head import Memory
from agentevals.evaluator.registry_index import EvaluatorInfo, IndexEntry
from agentevals.evaluator.sources import EvaluatorSource
from agentevals.model.errors import InputError, UnavailableError
from agentevals.text.terminal import plain

log = logging.getLogger(__name__)

REQUIREMENTS = "requirements.txt"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The list of a registry now, the commit at which its files are, and who signed it.

    `listed` is None where there is no index.
    """

    listed: Publication | None
    commit: str = ""
    signer: str = ""


class Registry(EvaluatorSource):
    """A source with an index: it says which bytes it hands out before it does."""

    voucher: ClassVar[str] = "index"  # who says the digests of files

    @property
    @abstractmethod
    def repository(self) -> str:
        """The name in locks: `github.com/owner/name`, an address."""

    @property
    def where(self) -> str:
        """The name that people read."""
        return self.repository

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Read the index as it is now, or raise UnavailableError."""

    def list_memories(self) -> list[Memory]:
        """Return what this machine has seen of it."""
        return []

    @property
    def current(self) -> Snapshot:
        """The first snapshot, or why there is none: a run sees one state of a registry."""
        if isinstance(self._first, Snapshot):
            return self._first
        raise self._first

    @cached_property
    def troubles(self) -> set[str]:
        """Return the failures that this run has named already."""
        return set()

    @cached_property
    def _first(self) -> Snapshot | UnavailableError:
        try:
            return self.snapshot()
        except UnavailableError as error:
            return error

    @abstractmethod
    def read_file(self, pin: Pin, name: str) -> bytes | None:
        """Read one file below the folder of an evaluator; None where it does not exist."""

    def list_files(self, pin: Pin) -> Iterable[str]:
        """Return the files of an evaluator whose index does not list them."""
        beside = REQUIREMENTS if "/" not in pin.entrypoint else ""
        return [pin.entrypoint, *([beside] if beside else [])]

    async def list_evaluators(self) -> list[EvaluatorInfo]:
        listed = self.read_listed().list_all().evaluators
        return [indexes.describe_entry(entry, self.source_name) for entry in listed]

    async def fetch_evaluator(self, ref: str, dest: Path) -> Path:
        pin = self.resolve(ref)
        folder = dest.parents[pin.entrypoint.count("/")]
        for name, content in self.fetch_contents(pin).items():
            path = dest if name == pin.entrypoint else folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return dest

    def read_listed(self) -> Publication:
        """Return what is listed, or raise UnavailableError where there is no index."""
        found = self.current.listed
        if found is None:
            msg = f"{self.where} has no index of evaluators"
            raise UnavailableError(msg)
        return found

    def resolve(self, ref: str, age: Age | None = None) -> Pin:
        """Return the pin that a reference means now, of a version of that age."""
        evaluator_names.check(ref)
        found = self.current
        name = evaluator_names.read_name(ref)
        part = found.listed.find(name) if found.listed else None
        choice = evaluator_names.choose(ref, part, where=self.where, age=age) if part else None
        if choice is None and evaluator_names.is_name(ref):
            msg = f"{ref!r} is a name, and {self.where} has no index; give a path"
            raise InputError(msg)
        if choice is None and age:
            msg = f"no index says when {ref!r} was published; remove 'min_age', or give a name"
            raise InputError(msg)
        if choice is None:
            return self._pin_path(ref, found.commit)
        for said in evaluator_names.list_deprecations(choice):
            log.warning("%s", said)
        return self._pin_entry(choice, found.commit)

    def fetch_contents(self, pin: Pin, said_by: str = "its index") -> dict[str, bytes]:
        """Fetch every file; UnavailableError where one differs from the pin."""
        if evaluator_files.is_compiled(pin.entrypoint):
            msg = f"{pin} is a compiled file, which is never fetched or run"
            raise InputError(msg)
        wanted = evaluator_files.drop_compiled(pin.files or self.list_files(pin), about=str(pin))
        evaluator_files.check(wanted, about=str(pin))
        found: dict[str, bytes] = {}
        for name in wanted:
            content = self.read_file(pin, name)
            if content is not None:
                found[name] = content
            if sum(map(len, found.values())) > evaluator_files.MOST_BYTES:
                most = f"{evaluator_files.MOST_BYTES >> 20} MiB"
                msg = f"{pin} has more than {most}; nothing of it is used"
                raise InputError(msg)
        return self._check_contents(pin, _refuse_unreviewable(pin, found), said_by)

    def _check_contents(self, pin: Pin, found: dict[str, bytes], said_by: str) -> dict[str, bytes]:
        if not pin.files and pin.entrypoint not in found:
            raise InputError(self.describe_missing(pin))
        digests = evaluator_files.compute_digests(found)
        if wrong := evaluator_files.list_differences(pin.files or digests, digests):
            msg = f"{pin} is not what {said_by} says: {'; '.join(wrong)}"
            raise UnavailableError(msg)
        return found

    def describe_missing(self, pin: Pin) -> str:
        """Return the message for a missing program."""
        return f"{pin.path} does not exist in {self.where}"

    def _pin_path(self, ref: str, commit: str) -> Pin:
        return Pin(
            source=self.source_name,
            repository=self.repository,
            path=ref,
            entrypoint=ref.rpartition("/")[2],
            commit=commit,
        )

    def _pin_entry(self, choice: evaluator_names.Choice, commit: str) -> Pin:
        entry, earlier = choice.entry, choice.earlier
        path = (earlier.path if earlier else "") or entry.path
        files = earlier.files if earlier else entry.files
        about = f"{self.where}: the entry {entry.name!r}"
        evaluator_files.check([path], about=about)
        if files:
            evaluator_files.check_digests(files, about=about)
        pin = Pin(
            source=self.source_name,
            repository=self.repository,
            path=path,
            entrypoint=_find_entrypoint(entry, path, files, about),
            commit=(earlier.commit if earlier else entry.commit) or commit,
            name=entry.name,
            version=choice.version,
            files=dict(files),
            sha256=indexes.digest(files) if files else "",
        )
        return evaluator_lock.drop_compiled(pin, about=about)


def _refuse_unreviewable(pin: Pin, found: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files that people can review. One that an index lists must be such a file."""
    wrong = {name: why for name in found if (why := evaluator_files.find_unreviewable(found[name]))}
    for name, why in wrong.items():
        if pin.files or name == pin.entrypoint:
            msg = f"{pin}: {plain(name, 100)}: {why}; nothing of it is used. Ask who maintains it"
            raise InputError(msg)
        log.warning("%s: %s is not fetched: %s", pin, plain(name, 100), why)
    return {name: content for name, content in found.items() if name not in wrong}


def _find_entrypoint(entry: IndexEntry, path: str, files: Iterable[str], about: str) -> str:
    said = entry.entrypoint or path.rpartition("/")[2]
    if f"/{path}".endswith(f"/{said}") and (not files or said in files):
        return said
    msg = f"{about} does not list its own program {path!r}; nothing of it is used"
    raise InputError(msg)
