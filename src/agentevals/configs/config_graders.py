"""One written entry becomes a grader, in whatever dialect it stands.

The settings in its `config` count like those that stand beside it. Annotations say what a setting
needs before its grader can be built: a `Path` is made absolute, a `TextOrFile` is read, and
`Evaluators` are built first.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agentevals.files import named_files
from agentevals.files.document_places import CONFIG, describe, quote, way_to
from agentevals.files.documents import Document, Paths
from agentevals.files.project_paths import find_project
from agentevals.files.pydantic_mistakes import Where, validate
from agentevals.files.pydantic_settings import list_spellings
from agentevals.graders.grader import Evaluators, Grader, TextOrFile
from agentevals.model.errors import ConfigError, Problem
from agentevals.sandbox.closed_paths import is_closed

Nested = Callable[[Any, Where], Grader | None]

_FILE = "file://"
_DEEPEST = 50  # levels of evaluators in evaluators; what builds them is recursive
_LONGEST_NAME = 1024  # of a file; a longer text is no path
_LONGEST_USUAL_NAME = 120  # of an evaluator

_ONLY_BESIDE = frozenset({"name", "type"})

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def describe_entry(entry: Mapping[str, Any]) -> str:
    """Return the start of a message that says which evaluator it is about."""
    name = entry.get("name")
    return f"evaluator {quote(name)}: " if isinstance(name, str) else ""


class Builder:
    """Builds graders from the entries of one document; collects what is wrong with them.

    `nested` reads an entry that stands in another one. `validate` may be one that knows which keys
    a dialect ignores.
    """

    def __init__(self, document: Document, paths: Paths, nested: Nested) -> None:
        self._document, self._paths, self._nested = document, paths, nested
        self.validate = validate
        self.problems: list[Problem] = []
        self.sources: list[Path] = []  # files whose text is a setting

    def build(
        self,
        kind: type[Grader],
        entry: dict[str, Any],
        where: Where,
        inside: frozenset[str] = frozenset(),
    ) -> Grader | None:
        """Return the grader of an entry without its type; None where a problem says why.

        Its keys `inside` come from its `config`.
        """
        wrong = len(self.problems)
        if "name" not in entry and (name := kind.usual_name(entry)):
            entry = {**entry, "name": clean_name(name)}
        entry = self.prepare(kind, entry, where, inside)
        if len(self.problems) > wrong:
            return None
        about = describe_entry(entry)
        made, problems = self.validate(kind, entry, self._document, where, about=about)
        self.problems += problems
        return made

    def prepare(
        self, kind: Any, entry: dict[str, Any], where: Where, inside: frozenset[str] = frozenset()
    ) -> dict[str, Any]:
        """Return the settings of an entry, made ready for its model."""
        fields = dict(entry)
        for keys, field in _find_prepared_fields(kind):
            key = next((key for key in keys if key in entry), keys[0])
            at = (*where, *way_to(key, inside))
            if _is_path(field):
                self._place(fields, key, field, at)
            elif isinstance(fields.get(key), str) and _is_marked(field, TextOrFile):
                fields[key] = self.read_text(fields[key], at)
            elif key in fields and _is_marked(field, Evaluators):
                fields[key] = self._build_graders(fields[key], at)
            elif isinstance(fields.get(key), dict) and _is_model(field):
                fields[key] = self.prepare(field.annotation, fields[key], at)
        return fields

    def _place(self, fields: dict[str, Any], key: str, field: FieldInfo, where: Where) -> None:
        given, usual = fields.get(key), field.default
        if isinstance(given, list) and usual == ():
            fields[key] = [self._grant(item, (*where, at)) for at, item in enumerate(given)]
        elif isinstance(given, str):
            fields[key] = self._paths.absolute(given, where)
            if usual == Path() and field.exclude:
                self._keep_inside(Path(fields[key]), given, where)
        elif key not in fields and isinstance(usual, Path):
            fields[key] = self._document.path.absolute().parent / usual

    def _grant(self, given: Any, where: Where) -> Any:
        """Return a path that third-party code may read, as far as nobody keeps secrets there."""
        if not isinstance(given, str):
            return given
        path = Path(self._paths.absolute(given, where))
        self._keep_inside(path, given, where)
        project = find_project(self._document.path.absolute().parent)
        inside = Path(os.path.realpath(path))
        if inside.is_relative_to(project) and is_closed(inside.relative_to(project)):
            message = f"{quote(given)} is closed to programs: it may hold keys; grant another file"
            self.problems.append(self._document.problem(message, where))
        elif not path.exists():
            message = f"{quote(given)} does not exist; name a file or folder of the project"
            self.problems.append(self._document.problem(message, where))
        return path

    def _keep_inside(self, folder: Path, given: str, where: Where) -> None:
        """Third-party code may read this folder, so that it must not be anybody's."""
        project = find_project(self._document.path.absolute().parent)
        if not named_files.contains(project, folder):
            message = f"{quote(given)} lies outside of the project '{project}'; name a folder in it"
            self.problems.append(self._document.problem(message, where))

    def read_text(self, given: str, where: Where) -> str:
        """Return the text itself, or what the file holds that it names."""
        named = given.startswith(_FILE)
        short = given.strip().removeprefix(_FILE)
        if not named and ("\n" in short or not 0 < len(short) <= _LONGEST_NAME):
            return given
        outside = len(self._paths.problems)
        path = Path(self._paths.absolute(short, where)) if named else self._paths.find(short)
        if path is None or len(self._paths.problems) > outside:
            return given
        self.sources.append(path)
        try:
            return named_files.text(path)
        except ConfigError as error:
            self.problems += [
                self._document.problem(f"{quote(given)}: {problem.message}", where)
                for problem in error.problems
            ]
            return given

    def _build_graders(self, given: Any, where: Where) -> Any:
        """Return a list of graders. The grader's own model refuses anything that is no list."""
        if not isinstance(given, list):
            return given
        if sum(isinstance(step, int) for step in where) > _DEEPEST:
            message = f"evaluators are nested deeper than {_DEEPEST} levels; flatten them"
            self.problems.append(self._document.problem(message, where))
            return ()
        built = [self._nested(entry, (*where, at)) for at, entry in enumerate(given)]
        if given and None in built and not self.problems:
            self.problems.append(self._document.problem(f"{describe(given)} is not right", where))
        return tuple(make_unique(given, built))


def make_unique(entries: Sequence[Any], built: Sequence[Grader | None]) -> Iterator[Grader]:
    """Yield the graders of a list; those that nobody named make way for others, with a number."""
    made = [(e, grader) for e, grader in zip(entries, built, strict=True) if grader is not None]
    names = number_names([(grader.name, has_name(entry)) for entry, grader in made])
    for (_, grader), name in zip(made, names, strict=True):
        yield grader if name == grader.name else grader.model_copy(update={"name": name})


def number_names(names: Sequence[tuple[str, bool]]) -> Iterator[str]:
    """Yield the names of a list; those that nobody gave (False) are made to differ from all."""
    taken = {name for name, is_given in names if is_given}
    for name, is_given in names:
        yield name if is_given else find_free_name(name, taken)


def find_free_name(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it: this one, or the first with a number."""
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name}-{number}"
    taken.add(made)
    return made


def clean_name(name: str) -> str:
    """A name that was made of a value may hold anything, and as much."""
    return CONTROL.sub(" ", name)[:_LONGEST_USUAL_NAME]


def has_name(entry: Any) -> bool:
    """Return whether the entry has a name that its author chose."""
    return isinstance(entry, dict) and "name" in entry


@cache
def _find_prepared_fields(kind: type[BaseModel]) -> tuple[tuple[tuple[str, ...], FieldInfo], ...]:
    """Return the settings that are not taken as they stand, with the keys of each."""
    return tuple(
        (list_spellings(name, field), field)
        for name, field in kind.model_fields.items()
        if _is_path(field)
        or _is_model(field)
        or _is_marked(field, TextOrFile)
        or _is_marked(field, Evaluators)
    )


def find_path_fields(model: type[BaseModel]) -> set[str]:
    """Return the settings that name a file."""
    return {name for name, field in model.model_fields.items() if _is_path(field)}


def _is_path(field: FieldInfo) -> bool:
    return Path in {field.annotation, *get_args(field.annotation)}


def _is_model(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _is_marked(field: FieldInfo, mark: type) -> bool:
    return any(isinstance(found, mark) for found in field.metadata)


class Merged(NamedTuple):
    """The settings of an entry, the keys of those `inside` its `config`, and what is wrong."""

    settings: dict[str, Any]
    inside: frozenset[str] = frozenset()
    mistakes: tuple[tuple[str, Where], ...] = ()


def merge_config(kind: type[Grader], entry: Mapping[str, Any]) -> Merged:
    """Return the settings of an entry with those of its `config`.

    A `config` that the type hands to a program is one setting, and stays as it is.
    """
    if CONFIG not in entry or kind.owns_config(entry):
        return Merged(dict(entry))
    beside = {key: value for key, value in entry.items() if key != CONFIG}
    given = entry[CONFIG]
    if given is None:
        return Merged(beside)
    if not isinstance(given, Mapping):
        mistake = f"'config' must be a mapping, not {describe(given)}"
        return Merged(beside, mistakes=((mistake, ()),))
    fields = kind.model_fields
    # an alias wins over a name: `latency` has such a pair
    names = {name: name for name in fields} | {
        key: name for name, field in fields.items() for key in list_spellings(name, field)[1:]
    }
    written = {names.get(key, key): value for key, value in beside.items()}
    inside, mistakes = {}, []
    for key, value in given.items():
        setting = names.get(key, key)
        if key in _ONLY_BESIDE:
            message = f"{key!r} has no meaning in 'config'; write it beside 'config'"
            mistakes.append((message, (key,)))
        elif setting not in written and not key.startswith("x-"):
            inside[key] = value
        elif setting in written and not _is_same(written[setting], value):
            message = f"{key!r} is {describe(value)} here and {describe(written[setting])} beside"
            mistakes.append((f"{message} 'config'; remove one", (key,)))
    return Merged({**beside, **inside}, frozenset(inside), tuple(mistakes))


def _is_same(one: object, other: object) -> bool:
    """`true` is not 1: as a gate they mean different scores."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)
