"""The files that an EVAL file is made of, the tests in them, and what is said about all of them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from glob import has_magic
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from agentevals.configs.dialects.agentv import eval_file_keys, eval_file_variables
from agentevals.configs.ignored_config_keys import IgnoredKeys
from agentevals.files import documents, named_files
from agentevals.files.document_places import describe, quote
from agentevals.files.documents import Document, Paths
from agentevals.files.project_paths import split_pattern, unescape
from agentevals.files.pydantic_mistakes import Where, validate
from agentevals.model.errors import ConfigError, Problem
from agentevals.model.results import Finding, Severity

Part = TypeVar("Part", bound=BaseModel)

_UNREAD = frozenset(
    {"env", "environment", "hooks", "on_run_complete", "preprocessors", "workspace"}
)
_NAMED = 12  # keys that one sentence lists
_FILE = "file://"
_CASE = ("case.yaml", "case.yml")
_DEEPEST = 5  # files that name files
_REPOSITORY = ".git"  # nothing above a repository belongs to it


@dataclass(kw_only=True)
class Shared:
    """The files of one EVAL have this in common: their root, and all problems and findings."""

    root: Path | None
    keys: IgnoredKeys
    problems: list[Problem] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    template: str | None = None  # of every language model that judges
    of_running: dict[str, None] = field(default_factory=dict)
    idle: dict[str, None] = field(default_factory=dict)  # keys that judge nothing
    opened: dict[Path, "Sheet"] = field(default_factory=dict)
    sources: list[Path] = field(default_factory=list)  # whatever was read
    said: set[str] = field(default_factory=set)
    room: eval_file_variables.Room = field(default_factory=eval_file_variables.Room)
    included: int = 0  # evaluators that came out of templates

    def open(self, path: Path) -> "Sheet | None":
        """Return a file, once; None where a problem says why it cannot be read."""
        known = self.opened.get(path)
        if known is not None:
            return known
        try:
            return self.take(documents.read(path))
        except ConfigError as error:
            self.problems += error.problems
            return None

    def take(self, document: Document) -> "Sheet":
        """Return a file that has been read."""
        sheet = Sheet(_fill(document, self), self)
        self.opened[document.path.absolute()] = sheet
        self.sources.append(document.path)
        return sheet

    def list_findings(self) -> tuple[Finding, ...]:
        """Return everything to report of the files: keys without effect first."""
        return (*self._list_idle_keys(), *self.findings, *self.keys.findings)

    def _list_idle_keys(self) -> list[Finding]:
        """Return all keys that judge no recording, those of one kind in one sentence."""
        of_running = "what is about running an agent means nothing for recordings"
        told = (
            ("of-running", of_running, self.of_running),
            ("judges-nothing", "what judges nothing is passed over", self.idle),
        )
        return [
            Finding(severity=Severity.NOTE, rule=rule, message=f"{why}: {_list_names([*names])}")
            for rule, why, names in told
            if names
        ]

    def once(self, key: str) -> bool:
        """Return whether this key comes for the first time, so that a message is given once."""
        first = key not in self.said
        self.said.add(key)
        return first


def _list_names(names: list[str]) -> str:
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(quote(name) for name in names[:_NAMED]) + rest


class Sheet:
    """One file: its document, its paths, and its place in the problems of all."""

    def __init__(self, document: Document, shared: Shared) -> None:
        self.document, self.shared = document, shared
        self.paths = Paths(document, shared.root)
        self.paths.problems, self.paths.findings = shared.problems, shared.findings
        self.folder = document.path.absolute().parent

    def part(
        self, model: type[Part], written: Any, where: Where, keys: tuple[str, ...], about: str = ""
    ) -> Part | None:
        """Return a mapping of known keys as its model; None where problems say why it is none."""
        if not isinstance(written, Mapping):
            name = f"{where[-1]!r}" if where and isinstance(where[-1], str) else "this"
            self.refuse(f"{about}{name} must be a mapping, not {describe(written)}", where)
            return None
        self._look_at_keys(written, where, keys, about)
        fields = model.model_fields
        settings = {key: value for key, value in written.items() if key in fields}
        made, problems = validate(model, settings, self.document, where, about=about)
        self.shared.problems += problems
        return made

    def _look_at_keys(
        self, written: Mapping[str, Any], where: Where, keys: tuple[str, ...], about: str
    ) -> None:
        for key in written:
            if key in keys or key == "$schema":
                continue
            if key in eval_file_keys.OF_RUNNING:
                self.shared.of_running[key] = None
            elif key in eval_file_keys.IDLE:
                self.shared.idle[key] = None
            else:
                self.shared.keys.check(self.document, (key,), keys, where, about=about)

    def refuse(self, message: str, where: Where) -> None:
        """Something is wrong here."""
        self.shared.problems.append(self.document.problem(message, where))

    def note(
        self, rule: str, message: str, where: Where, severity: Severity = Severity.NOTE
    ) -> None:
        """Something should be said about this place."""
        self.shared.findings.append(self.document.finding(rule, message, where, severity))


def _fill(document: Document, shared: Shared) -> Document:
    if not eval_file_variables.is_open(document.text):
        return document
    sheet = Sheet(document, shared)

    def missing(name: str, where: Where) -> None:
        if shared.once(f"variable {name}"):
            message = f"the environment has no variable {name}; it is read as empty"
            sheet.note("no-such-variable", message, where, Severity.WARNING)

    def secret(what: str, where: Where) -> None:
        remedy = "values of a file may appear in a report, so secrets are refused"
        sheet.refuse(f"{what}; {remedy}", where)

    environment = eval_file_variables.Environment(os.environ, missing, secret, shared.room)
    value = environment.fill(document.value, unread=_UNREAD)
    filled = replace(document, value=value)
    if "_root" in document.__dict__:
        filled.__dict__["_root"] = document.__dict__["_root"]
    return filled


def find_upward(folder: Path, name: str, root: Path | None) -> Path | None:
    """Return the nearest file of that name in a folder or above, as far as the repository goes."""
    folder = folder.absolute()
    for place in (folder, *folder.parents):
        path = place / name
        if not named_files.contains(root, place):
            break
        if named_files.exists(path) and path.is_file() and named_files.contains(root, path):
            return named_files.shortest(path)
        if named_files.exists(place / _REPOSITORY):
            break
    return None


class Item(NamedTuple):
    """One test as it is written, and where."""

    sheet: Sheet
    record: dict[str, Any]
    where: Where


def read_items(
    sheet: Sheet, given: Any, where: Where, trail: tuple[Path, ...] = ()
) -> Iterator[Item]:
    """Yield every test that stands in a value: a list of tests and paths, or one path."""
    if isinstance(given, str):
        yield from _read_named(sheet, given, where, trail)
        return
    if not isinstance(given, list):
        sheet.refuse(f"the tests must be a list, or the path of one, not {describe(given)}", where)
        return
    for index, one in enumerate(given):
        place = (*where, index)
        if isinstance(one, str):
            yield from _read_named(sheet, one, place, trail)
        elif isinstance(one, dict):
            yield Item(sheet, one, place)
        else:
            sheet.refuse(f"a test is a mapping, or the path of a file, not {describe(one)}", place)


def _read_named(sheet: Sheet, given: str, where: Where, trail: tuple[Path, ...]) -> Iterator[Item]:
    wrong = len(sheet.shared.problems)
    chosen = Path(sheet.paths.pattern(given.strip().removeprefix(_FILE), where))
    if len(sheet.shared.problems) > wrong:
        return
    if len(trail) == _DEEPEST or chosen in trail:
        what = "names itself" if chosen in trail else f"is more than {_DEEPEST} files deep"
        sheet.refuse(f"the file of tests {quote(given)} {what}", where)
        return
    found = list(_find_files(sheet, chosen))
    if not found:
        near = "" if has_magic(given) else named_files.nearest(Path(unescape(str(chosen))))
        sheet.refuse(f"there is no file of tests {quote(given)}{near}", where)
    for path in found:
        if not named_files.contains(sheet.shared.root, path):
            sheet.refuse(f"{quote(str(path))} leads out of the workspace; use a file in it", where)
        elif not sheet.shared.once(f"tests of {path.resolve()}"):
            sheet.refuse(f"the file of tests {quote(str(path))} is named twice; keep one", where)
        elif (other := sheet.shared.open(path)) is not None:
            yield from _read_tests(other, path, (*trail, chosen))


def _find_files(sheet: Sheet, chosen: Path) -> Iterator[Path]:
    start, rest = split_pattern(str(chosen))
    if rest:
        own = sheet.document.path.absolute()
        found = sorted(named_files.find_matches(str(chosen)), key=str)
        yield from (named_files.shortest(path) for path in found if path.is_file() and path != own)
    elif named_files.exists(start):
        yield from _find_cases(start) if start.is_dir() else (named_files.shortest(start),)


def _find_cases(folder: Path) -> Iterator[Path]:
    """A folder of tests has one in each of its folders."""
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        found = next((inner / name for name in _CASE if (inner / name).is_file()), None)
        if found:
            yield named_files.shortest(found)


def _read_tests(sheet: Sheet, path: Path, trail: tuple[Path, ...]) -> Iterator[Item]:
    value = sheet.document.value
    if not isinstance(value, dict):
        yield from read_items(sheet, value, (), trail)
        return
    key = next((key for key in eval_file_keys.TESTS if key in value), None)
    if key is None:
        usual = {"id": path.parent.name} if path.name in _CASE else {}
        yield Item(sheet, usual | value, ())
        return
    for other in value:
        if other != key and not other.startswith("x-"):
            message = f"{quote(other)} is not read in a file of tests; it belongs to an EVAL file"
            sheet.refuse(message, (other,))
    yield from read_items(sheet, value[key], (key,), trail)
