"""`agentevals.lock`: which bytes the references of the configs beside it stand for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from agentevals.evaluator import evaluator_files, registry_index
from agentevals.evaluator.publication_age import Age
from agentevals.files import atomic_files
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun

FILE = "agentevals.lock"
SCHEMA = 1
_LARGEST = 16 * 1024 * 1024
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|")
_REMEDY = "run 'agentevals lock --update' to write it anew"


class Pin(Noun, frozen=True):
    """One evaluator as it was found.

    `files` are the sha256 of its files by their names below its folder, of which `entrypoint` is
    the program; they are empty where nobody has said them. `commit` is empty where there is none.
    """

    source: str
    repository: str
    path: str
    entrypoint: str
    commit: str = ""
    name: str = ""
    version: str = ""
    files: dict[str, str] = {}
    sha256: str = ""

    @property
    def folder(self) -> str:
        """The folder of its files, with a slash at the end unless that is the root."""
        return self.path.removesuffix(self.entrypoint)

    def add_files(self, files: dict[str, str]) -> "Pin":
        """Return the pin with these files, whatever it had before."""
        return replace(self, files=files, sha256=registry_index.digest(files))

    def __str__(self) -> str:
        at = f"@{self.commit[:12]}" if self.commit else ""
        return f"{self.repository}{at}:{self.path}"


def drop_compiled(pin: Pin, *, about: str = "") -> Pin:
    """Return the pin without compiled files; with `about`, a warning names the others."""
    kept = evaluator_files.drop_compiled(pin.files, about=about)
    if len(kept) == len(pin.files):
        return pin
    return pin.add_files({name: pin.files[name] for name in kept})


class Locked(Noun, frozen=True):
    """One reference of a config, and what it stands for."""

    ref: str
    pin: Pin


class LockedHead(Noun, frozen=True):
    """The head of a registry when its evaluators were locked: no later one is an older index."""

    sequence: int
    index: str
    digest: str | None = None
    chain: str | None = None
    since: int = 0


class Lock(Noun, frozen=True, omit_defaults=False):
    """The content of the file."""

    schema: int = SCHEMA
    evaluators: tuple[Locked, ...] = ()
    signers: dict[str, str] | UnsetType = UNSET  # of the index of each repository that is signed
    heads: dict[str, LockedHead] | UnsetType = UNSET  # of each registry that has one, by its place

    def find(self, source: str, ref: str) -> Pin | None:
        """Return the pin of a reference to a source."""
        known = (each.pin for each in self.evaluators if each.ref == ref)
        return next((pin for pin in known if pin.source == source), None)

    def merge(self, others: Iterable[Locked]) -> "Lock":
        """Return a lock with these pins in place of earlier ones, sorted."""
        by_place = {(each.pin.source, each.ref): each for each in (*self.evaluators, *others)}
        kept = tuple(by_place[place] for place in sorted(by_place))
        return replace(self, evaluators=kept)

    def find_signer(self, repository: str) -> str:
        """Return who must sign the index of a repository, or nothing."""
        return self.signers.get(repository, "") if self.signers else ""


def read(path: Path) -> Lock | None:
    """The lock in a file; None where there is none, InputError where it cannot be one."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _build_refusal(path, str(error)) from None
    try:
        found = msgspec.json.decode(content, type=Lock)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _build_refusal(path, str(error)) from None
    if found.schema != SCHEMA:
        msg = f"{path}: schema {found.schema} of a lock is not known here; update agentevals"
        raise InputError(msg)
    for each in found.evaluators:
        _check(path, each)
    return found


@dataclass(frozen=True, kw_only=True)
class RemoteEvaluatorDef:
    """An evaluator of a registry. A lock takes precedence over the index."""

    name: str
    ref: str
    source: str = "github"
    lock: Path | None = None
    age: Age | None = None


def find_pin(definition: RemoteEvaluatorDef) -> Pin | None:
    """Return the locked pin; InputError where a lock exists without this reference."""
    found = read(definition.lock) if definition.lock else None
    if found is None:
        return None
    pin = found.find(definition.source, definition.ref)
    if pin is None:
        msg = f"{definition.ref!r} is not in {definition.lock}; run 'agentevals lock' to add it"
        raise InputError(msg)
    return pin


def write(path: Path, lock: Lock) -> None:
    """Write it whole or not at all; the same lock has the same bytes."""
    content = msgspec.json.format(msgspec.json.encode(lock, order="sorted"), indent=2) + b"\n"
    try:
        atomic_files.write(path, content)
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}"
        raise InputError(msg) from None


def _check(path: Path, each: Locked) -> None:
    pin, about = each.pin, f"{path}: {each.ref}"
    evaluator_files.check([pin.path], about=about)
    evaluator_files.check_digests(pin.files, about=about)
    if registry_index.digest(pin.files) != pin.sha256 or pin.entrypoint not in pin.files:
        raise _build_refusal(path, f"the files of {each.ref!r} are not those of its sha256")
    if not _COMMIT.fullmatch(pin.commit) or not f"/{pin.path}".endswith(f"/{pin.entrypoint}"):
        raise _build_refusal(path, f"{each.ref!r} has a commit or a path that cannot be one")


def _build_refusal(path: Path, why: str) -> InputError:
    return InputError(f"{path}: not a lock: {why}; {_REMEDY}")
