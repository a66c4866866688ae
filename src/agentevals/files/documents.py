"""Reading what people write (JSON, JSON Lines, YAML), with the place of every key and value.

Relative paths in a document are looked for in its own folder, then in the working directory.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentevals.files import json_reader, named_files
from agentevals.files.document_places import Key, Node, quote
from agentevals.files.project_paths import join_pattern
from agentevals.model.errors import ConfigError, Problem, point
from agentevals.model.plugins import Lazy, suggestion
from agentevals.model.results import Finding, Severity

_LINES = {".jsonl", ".ndjson"}
_YAML = {".yaml", ".yml"}

Scan = Callable[[str], tuple[Any, Node, list[Problem]]]


if TYPE_CHECKING:
    from agentevals.files import yaml_reader
else:
    yaml_reader = Lazy("agentevals.files.yaml_reader")

_FAST: dict[Scan, Callable[[str], Any]] = {
    json_reader.scan: json_reader.load,
    json_reader.scan_lines: json_reader.load_lines,
}
_PLACES: dict[Scan, Callable[[str], Node]] = {
    json_reader.scan: json_reader.open_places,
    json_reader.scan_lines: json_reader.open_places_of_lines,
}


@dataclass(frozen=True, kw_only=True)
class Document:
    """The value of a file. Its places are worked out when somebody asks for one."""

    path: Path
    value: Any
    text: str
    scan: Scan

    @property
    def lines(self) -> bool:
        """True for JSON Lines, whose value is the list of the lines' values."""
        return self.scan is json_reader.scan_lines

    @cached_property
    def _root(self) -> Node:
        find_places = _PLACES.get(self.scan)
        return find_places(self.text) if find_places else self.scan(self.text)[1]

    def place(self, where: Sequence[Key] = ()) -> tuple[int, int]:
        """Return line and column of the value at a path, or of the nearest one around it."""
        return self._root.find(where).extent[:2]

    def key_place(self, where: Sequence[Key]) -> tuple[int, int]:
        """Return line and column of the key at the end of a path."""
        *above, key = where
        found = self._root.find(above).keys.get(str(key))
        return found[:2] if found else self.place(where)

    def raw(self, where: Sequence[Key]) -> str | None:
        """Return an unquoted YAML scalar as it was written, when YAML did not read it as text."""
        return self._root.find(where).raw

    def problem(self, message: str, where: Sequence[Key] = (), *, key: bool = False) -> Problem:
        """Return a problem of a value, or of its key."""
        place = self.key_place(where) if key else self.place(where)
        return Problem(message=message, path=str(self.path), at=point(*place))

    def find_unknown_keys(
        self,
        written: Iterable[str],
        known: Sequence[str],
        where: Sequence[Key] = (),
        *,
        about: str = "",
    ) -> Iterator[Problem]:
        """Yield a problem for each key that is not known, except the user's own, `x-…`."""
        for key in written:
            if key not in known and not key.startswith("x-"):
                message = f"{about}unknown key {quote(key)}{suggestion(key, list(known))}"
                yield self.problem(message, (*where, key), key=True)

    def finding(
        self,
        rule: str,
        message: str,
        where: Sequence[Key] = (),
        severity: Severity = Severity.NOTE,
        *,
        key: bool = False,
    ) -> Finding:
        """Return a finding about a value, or about its key."""
        line, column = self.key_place(where) if key else self.place(where)
        return Finding(
            severity=severity,
            rule=rule,
            message=message,
            path=str(self.path),
            line=line,
            column=column,
        )


# by the absolute path, and by the path as it was given: problems name it that way
_kept: ContextVar[dict[tuple[Path, Path], Document] | None] = ContextVar("kept", default=None)
_texts: ContextVar[dict[Path, str] | None] = ContextVar("texts", default=None)


@contextmanager
def keep() -> Iterator[None]:
    """Read each file once within this, for a run that never changes the files it reads."""
    documents, texts = _kept.set({}), _texts.set({})
    try:
        yield
    finally:
        _kept.reset(documents)
        _texts.reset(texts)


def read_text(path: Path) -> str:
    """Return the text of a file that may be read as a document as well."""
    texts = _texts.get()
    if texts is None:
        return named_files.text(path)
    key = path.absolute()
    if key not in texts:
        texts[key] = named_files.text(path)
    return texts[key]


def read(path: Path) -> Document:
    """Return the document in a file, or raise a ConfigError with every mistake in its syntax."""
    kept = _kept.get()
    if kept is None:
        return _read(path)
    key = path.absolute(), path
    if key not in kept:
        try:
            kept[key] = _read(path)
        except ConfigError:  # it is read again once it was corrected
            (_texts.get() or {}).pop(path.absolute(), None)
            raise
    return kept[key]


def _read(path: Path) -> Document:
    text = read_text(path)
    if not text.strip():
        raise ConfigError([Problem(message="the file is empty", path=str(path))])
    scan = _language(path, text)
    load = _FAST.get(scan)
    if load is not None:
        try:
            return Document(path=path, value=load(text), text=text, scan=scan)
        except ValueError:
            pass  # the slow reader explains what is wrong
    value, root, problems = scan(text)
    if problems:
        raise ConfigError(replace(problem, path=str(path)) for problem in problems)
    document = Document(path=path, value=value, text=text, scan=scan)
    document.__dict__["_root"] = root
    return document


def _language(path: Path, text: str) -> Scan:
    """Choose the language by the content where that is clear, and by the extension where not."""
    suffix = path.suffix.lower()
    first, _, others = text.lstrip().partition("\n")
    if suffix in _LINES:
        is_one_value = not _is_json(first) and _is_json(text)
        return json_reader.scan if is_one_value else json_reader.scan_lines
    if first[0] not in "[{":
        return json_reader.scan if suffix == ".json" else _scan_yaml
    if suffix in _YAML:
        return json_reader.scan if _is_json(text) else _scan_yaml
    return json_reader.scan_lines if others.strip() and _is_json(first) else json_reader.scan


def _scan_yaml(text: str) -> tuple[Any, Node, list[Problem]]:
    """Scan YAML: its parser is slow to import, so only for files that are YAML."""
    return yaml_reader.scan(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class Paths:
    """Makes the paths in one document absolute, and remembers which were found elsewhere."""

    def __init__(self, document: Document, root: Path | None = None) -> None:
        self._document, self._root = document, root
        self._folder = document.path.absolute().parent
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []

    def absolute(self, given: str, where: tuple[Key, ...]) -> str:
        """Return a path that no longer depends on where the program is started.

        Where it leads out of the root there is a problem, and nothing may be read from it.
        """
        return str(self._choose(given, where) / given)

    def pattern(self, given: str, where: tuple[Key, ...]) -> str:
        """Return the same of what may be a glob. The folder that it starts from is none."""
        return join_pattern(self._choose(given, where), given)

    def check(self, path: str, where: tuple[Key, ...], given: str = "") -> None:
        """Add a problem if a path, from the folder of the document, leads out of the root."""
        if not named_files.contains(self._root, self._folder / path):
            message = f"{quote(given or path)} leads out of the workspace; use a file in it"
            self.problems.append(self._document.problem(message, where))

    def find(self, given: str) -> Path | None:
        """Return the file of a name if it exists and may be read; else None, without a problem."""
        for path in (self._folder / given, Path.cwd() / given):
            if (
                named_files.exists(path)
                and path.is_file()
                and named_files.contains(self._root, path)
            ):
                return path
        return None

    def _choose(self, given: str, where: tuple[Key, ...]) -> Path:
        folder = self._folder
        if not _has_match(folder, given) and _has_match(Path.cwd(), given):
            folder = Path.cwd()
            message = f"{quote(given)} is not in the folder of this file; "
            message += "the one in the working directory is used"
            found = self._document.finding("path-from-working-directory", message, where)
            self.findings.append(found)
        self.check(str(folder / given), where, given)
        return folder


def _has_match(folder: Path, given: str) -> bool:
    if named_files.exists(folder / given):
        return True
    pattern = join_pattern(folder, given)
    return has_magic(given) and next(named_files.find_matches(pattern), None) is not None
