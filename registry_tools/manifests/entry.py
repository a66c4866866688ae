"""One evaluator's folder in a registry: what its manifest says, and which files lie there."""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from agentevals.evaluator import manifest as manifests
from agentevals.evaluator.manifest import Manifest
from agentevals.files import yaml_strict
from agentevals.files.places import Key
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import BEGIN, Edit, Extent
from registry_tools.manifests.finding import Finding, Rule, Spot
from registry_tools.manifests.ignored import Ignored

_NOTHING = StrictDocument("")
_WITHOUT_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SMALL = 64 << 10  # bytes of a file that is kept, because several rules read it
_MOST = 10_000  # files of one evaluator that are looked at


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
        """What the folder is called, which is what the evaluator must be called."""
        return self.folder.rpartition("/")[2]

    @property
    def path(self) -> str:
        """Of the manifest, relative to the registry's root."""
        return f"{self.folder}/{manifests.FILE}"

    @cached_property
    def home(self) -> Path:
        """The folder on this machine."""
        return self.root / self.folder

    @property
    def is_legacy(self) -> bool:
        """Whether it says no more than the predecessor's six keys, as far as it can be read."""
        value = self.document.value
        return isinstance(value, dict) and not any(key in value for key in manifests.COMPLETE)

    def text(self, key: str) -> str:
        """What the manifest says there, also where the rest of it is wrong; "" if it is no text."""
        value = self.value(key)
        return value if isinstance(value, str) else ""

    @property
    def keys(self) -> Collection[str]:
        """The top-level keys that can be read."""
        value = self.document.value
        return value.keys() if isinstance(value, dict) else ()

    def value(self, key: str) -> Any:
        """As `text`, whatever it is."""
        value = self.document.value
        return value.get(key) if isinstance(value, dict) else None

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

    def bytes_of(self, file: str, most: int) -> bytes:
        """At most so much of a file of `files`; OSError for what is a link by now."""
        content = self._kept.get(file)
        if content is None:
            content = _content(f"{self.home}/{file}", most)
            if len(content) < min(most, _SMALL):
                self._kept[file] = content
        return content[:most]

    def at(self, *where: Key) -> Spot:
        """A value of the manifest, or what is around it; where that is, is found out when used."""
        return Spot(where)

    def at_key(self, *where: Key) -> Spot:
        """The key of a value."""
        return Spot(where, of_key=True)

    def edit(self, text: str, *where: Key) -> Edit:
        """This text in place of a value."""
        extent = self.document.extent(where)
        return Edit(extent.start, extent.end, text)

    def finding(
        self,
        rule: Rule,
        message: str,
        at: Extent | Spot = BEGIN,
        *,
        fix: str = "",
        edit: Edit | None = None,
    ) -> Finding:
        """Something about a place of the manifest: `entry.finding(RULE, "…", entry.at("tags"))`."""
        if isinstance(at, Spot):
            at = self.document.extent(at.where, key=at.of_key)
        return Finding(
            rule=rule.id,
            severity=rule.severity,
            message=message,
            path=self.path,
            line=at.line,
            column=at.column,
            end_line=at.end_line,
            end_column=at.end_column,
            fix=fix,
            entry=self.name,
            edit=edit,
        )

    def problems(self, rule: Rule) -> Iterator[Finding]:
        """Findings of what the strict reader said against one rule."""
        for problem in self.document.problems:
            if problem.rule == rule.id:
                at = problem.at or BEGIN
                yield self.finding(rule, problem.message, at, fix=problem.fix, edit=problem.edit)

    def finding_in(
        self, file: str, rule: Rule, message: str, at: Extent | None = None, *, fix: str = ""
    ) -> Finding:
        """Something about another file of the folder, or about a place in it."""
        return Finding(
            rule=rule.id,
            severity=rule.severity,
            message=message,
            path=f"{self.folder}/{file}",
            line=at.line if at else None,
            column=at.column if at else None,
            end_line=at.end_line if at else None,
            end_column=at.end_column if at else None,
            fix=fix,
            entry=self.name,
        )


def read(root: Path, folder: str, ignored: Ignored | None = None) -> Entry:
    """The entry in a folder; whatever is wrong with its manifest is in it, and never raised."""
    shared = ignored or Ignored()
    try:
        content = _content(f"{root}/{folder}/{manifests.FILE}", yaml_strict.LARGEST + 1)
    except OSError as error:
        why = _refusal(root / folder / manifests.FILE, error)
        return Entry(root, folder, unreadable=why, ignored=shared)
    document = yaml_strict.read(content)
    manifest = None if document.problems else _manifest(document.value)
    return Entry(root, folder, document, manifest, ignored=shared)


def _manifest(value: object) -> Manifest | None:
    try:
        return manifests.convert(value)
    except msgspec.ValidationError:
        return None


def _content(path: str, most: int) -> bytes:
    """Of a regular file: a link may lead anywhere, and a pipe would be read for ever."""
    handle = os.open(path, _WITHOUT_LINKS)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            msg = "it is not a regular file"
            raise OSError(0, msg)
        return _read(handle, most)
    finally:
        os.close(handle)


def _read(handle: int, most: int) -> bytes:
    """Of a regular file less than was asked for is all that is left."""
    parts, asked = [], 0
    while most > 0:
        asked = min(most, _SMALL)
        parts.append(os.read(handle, asked))
        most = most - asked if len(parts[-1]) == asked else 0
    return b"".join(parts)


def _refusal(path: Path, error: OSError) -> str:
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
