"""One evaluator's folder in a registry: what its manifest says, and which files lie there."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from agentevals.evaluator import evaluator_manifest as manifests
from agentevals.evaluator.evaluator_manifest import Manifest
from agentevals.files import yaml_strict
from agentevals.files.document_places import Key
from agentevals.files.git_process import Git
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import BEGIN, Edit, Extent, Problem, point
from registry_tools.manifests.registry_finding import Finding, Rule, Spot

_NOTHING = StrictDocument("")
_WITHOUT_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SMALL = 64 << 10  # bytes of a file that is kept, because several rules read it
_MOST = 10_000  # files of one evaluator that are looked at
_QUESTION = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


class Ignored:
    """The files that git ignores: left behind by runs, they are not part of an entry.

    git is asked once, when somebody wants to know. Outside of a repository nothing is ignored.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root

    def __call__(self, path: str) -> bool:
        """Return whether git ignores a file or a folder, whose path is relative to the root."""
        return path in self._paths

    @cached_property
    def _paths(self) -> frozenset[str]:
        if self._root is None:
            return frozenset()
        answer = Git(self._root).answer(*_QUESTION)
        names = answer.split(b"\0") if answer is not None else []
        return frozenset(os.fsdecode(name).rstrip("/") for name in names if name)


@dataclass(frozen=True, eq=False)
class Entry:
    """`<folder>/evaluator.yaml` and what lies beside it.

    `unreadable` says why there is no document; `manifest` is None unless it says what it must
    and nothing is wrong with how it is written. `folder` is relative to the registry's root.
    """

    root: Path
    folder: str
    document: StrictDocument = _NOTHING
    manifest: Manifest | None = None
    unreadable: str = ""
    ignored: Ignored = field(default_factory=Ignored, repr=False)
    _kept: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The name of the folder, which must be that of the evaluator."""
        return self.folder.rpartition("/")[2]

    @property
    def path(self) -> str:
        """The path of the manifest, relative to the registry's root."""
        return f"{self.folder}/{manifests.FILE}"

    @cached_property
    def home(self) -> Path:
        """The folder on this machine."""
        return self.root / self.folder

    @property
    def is_legacy(self) -> bool:
        """True if it says no more than the predecessor's six keys, as far as it can be read."""
        return not any(key in self.values for key in manifests.COMPLETE)

    def get_text(self, key: str) -> str:
        """Return a text of the manifest, also if the rest is wrong; "" if it is no text."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    @property
    def values(self) -> dict[str, Any]:
        """The top-level keys and values that can be read, also if the rest is wrong."""
        value = self.document.value
        return value if isinstance(value, dict) else {}

    @property
    def files(self) -> tuple[str, ...]:
        """Regular files, relative to the folder and sorted; without what git ignores."""
        return self._contents[0]

    @property
    def links(self) -> tuple[str, ...]:
        """Symbolic links, pipes, devices: whatever is neither a folder nor a file."""
        return self._contents[1]

    @cached_property
    def _contents(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        files: list[str] = []
        others: list[str] = []
        for name, is_file in _walk(f"{self.home}/", self.folder, self.ignored):
            (files if is_file else others).append(name)
            if len(files) + len(others) >= _MOST:
                break
        return tuple(sorted(files)), tuple(sorted(others))

    def read_bytes(self, file: str, most: int) -> bytes:
        """Return at most so much of a file of `files`; OSError for a file that is a link by now."""
        content = self._kept.get(file)
        if content is None:
            content = _read_file(f"{self.home}/{file}", most)
            if len(content) < min(most, _SMALL):
                self._kept[file] = content
        return content[:most]

    def locate(self, *where: Key) -> Spot:
        """Return the spot of a value; its place is worked out when a finding needs it."""
        return Spot(where)

    def locate_key(self, *where: Key) -> Spot:
        """Return the spot of the key of a value."""
        return Spot(where, of_key=True)

    def make_edit(self, text: str, *where: Key) -> Edit:
        """Return the edit that puts a text in place of a value."""
        extent = self.document.locate(where)
        return Edit(extent.start, extent.end, text)

    def report(
        self,
        rule: Rule,
        message: str,
        at: Extent | Spot = BEGIN,
        *,
        fix: str = "",
        edit: Edit | None = None,
    ) -> Finding:
        """Return a finding about a place of the manifest, such as `entry.locate("tags")`."""
        if isinstance(at, Spot):
            at = self.document.locate(at.where, key=at.of_key)
        return rule.report(message, self.path, at, fix=fix, entry=self.name, edit=edit)

    def report_in(
        self, file: str, rule: Rule, message: str, at: Extent | None = None, *, fix: str = ""
    ) -> Finding:
        """Return a finding about a file of the folder, or about a place in it."""
        return rule.report(message, f"{self.folder}/{file}", at, fix=fix, entry=self.name)

    def report_problem(self, file: str, rule: Rule, problem: Problem) -> Finding:
        """Return a problem of a reader as a finding about a file of the folder."""
        at = point(problem.line or 1, problem.column or 1)
        return self.report_in(file, rule, problem.message, at)

    def list_problems(self, rule: Rule) -> Iterator[Finding]:
        """Yield the findings of the strict reader about one rule."""
        for problem in self.document.problems:
            if problem.rule == rule.id:
                at = problem.at or BEGIN
                yield self.report(rule, problem.message, at, fix=problem.fix, edit=problem.edit)


def read(root: Path, folder: str, ignored: Ignored | None = None) -> Entry:
    """Return the entry in a folder; whatever is wrong with its manifest is in it, never raised."""
    shared = ignored or Ignored()
    try:
        content = _read_file(f"{root}/{folder}/{manifests.FILE}", yaml_strict.LARGEST + 1)
    except OSError as error:
        why = _explain(root / folder / manifests.FILE, error)
        return Entry(root, folder, unreadable=why, ignored=shared)
    document = yaml_strict.read(content)
    manifest = None if document.problems else _convert(document.value)
    return Entry(root, folder, document, manifest, ignored=shared)


def _convert(value: object) -> Manifest | None:
    try:
        return manifests.convert(value)
    except msgspec.ValidationError:
        return None


def _read_file(path: str, most: int) -> bytes:
    """Read a regular file only: a link may lead anywhere, and a pipe would be read for ever."""
    handle = os.open(path, _WITHOUT_LINKS)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            msg = "it is not a regular file"
            raise OSError(0, msg)
        return _read_bytes(handle, most)
    finally:
        os.close(handle)


def _read_bytes(handle: int, most: int) -> bytes:
    """Read until the file gives less than was asked for, which is all that is left of it."""
    parts, asked = [], 0
    while most > 0:
        asked = min(most, _SMALL)
        parts.append(os.read(handle, asked))
        most = most - asked if len(parts[-1]) == asked else 0
    return b"".join(parts)


def _explain(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is none"
    return "it is a symbolic link" if path.is_symlink() else (error.strerror or "unknown").lower()


def _walk(home: str, folder: str, ignored: Ignored, below: str = "") -> Iterator[tuple[str, bool]]:
    with os.scandir(home + below) as found:
        for one in found:
            name = f"{below}{one.name}"
            if ignored(f"{folder}/{name}"):
                continue
            if one.is_dir(follow_symlinks=False):
                yield from _walk(home, folder, ignored, f"{name}/")
            else:
                yield name, one.is_file(follow_symlinks=False)
