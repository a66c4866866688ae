"""Classes for UiPath in their project: names and files, in the one of two folders that exists."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

from agentevals.files import named_files
from agentevals.files.document_places import quote
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_INNER_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")
_SUFFIX = "Evaluator"

_LAYOUTS = ("evals", "evaluations")  # as their documents have it, and as their tool has it
_CUSTOM = Path("evaluators", "custom")


class Names(NamedTuple):
    """The file of an evaluator and its three classes."""

    file: str
    evaluator: str
    criteria: str
    config: str

    @classmethod
    def make(cls, given: str) -> Self:
        """`my-thing` is `my_thing.py` with a `MyThingEvaluator`."""
        name = given.removesuffix(".py")
        if not _NAME.fullmatch(name):
            msg = f"{given!r} cannot be an evaluator's name; use letters, digits, '_' and '-'"
            raise InputError(msg)
        words = re.split(r"[-_]+", name.strip("-_"))
        pascal = "".join(word[:1].upper() + word[1:] for word in words)
        evaluator = pascal if pascal.endswith(_SUFFIX) else f"{pascal}{_SUFFIX}"
        return cls(
            file=f"{_write_snake_case(name)}.py",
            evaluator=evaluator,
            criteria=f"{evaluator.removesuffix(_SUFFIX)}EvaluationCriteria",
            config=f"{evaluator}Config",
        )


def _write_snake_case(name: str) -> str:
    parts = (part for piece in re.split(r"[-_]+", name) for part in _INNER_CAPITAL.split(piece))
    return "_".join(part.lower() for part in parts if part)


def write_kebab_case(name: str) -> str:
    """`MyThing` as the files that are written about a class spell it: `my-thing`."""
    return _INNER_CAPITAL.sub("-", name).lower()


def find_custom_folder(project: Path) -> Path:
    """Return the folder for classes, whether it exists or not."""
    for at in (project / layout / _CUSTOM for layout in _LAYOUTS):
        if at.is_dir():
            return at
    layout = next((name for name in _LAYOUTS if (project / name).is_dir()), _LAYOUTS[0])
    return project / layout / _CUSTOM


class Registered(NamedTuple):
    """The files that register a class."""

    evaluator: Path
    types: Path


def find_registered(custom: Path, stem: str) -> Registered:
    """Return the files about one class of a folder."""
    return Registered(custom.parent / f"{stem}.json", custom / "types" / f"{stem}-types.json")


def find_class_file(given: str, project: Path) -> Path:
    """Return the file that is meant, in the folder of classes only."""
    custom = find_custom_folder(project)
    written = Path(given)
    name = written.name if written.suffix == ".py" else f"{written.name}.py"
    beside = written.parent == Path() or _is_at(project / written.parent, custom)
    there = sorted(path.name for path in custom.glob("*.py") if path.is_file())
    if beside and name in there:
        return custom / name
    shown = custom.relative_to(project).as_posix()
    hint = suggestion(name, there) if there else "; write one with `agentevals evaluator add`"
    msg = f"Could not find {quote(given if not beside else name)} in {shown} folder{hint}"
    raise InputError(msg)


def _is_at(folder: Path, custom: Path) -> bool:
    try:
        return folder.resolve() == custom.resolve()
    except (OSError, RuntimeError):  # names that are too long, or links in a circle
        return False


def write_files(texts: Mapping[Path, str], project: Path) -> None:
    """Write files of a project; none of them if one would be written elsewhere."""
    for file in texts:
        check_place(file, project)
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"{error.filename}: cannot be written to: {error.strerror}"
        raise InputError(msg) from None


def check_place(file: Path, project: Path) -> None:
    """Raise an InputError for a link, which may lead anywhere, and for what is no file at all."""
    if not named_files.contains(project, file.parent):
        msg = f"{file.parent} leads out of the project, and we write only in the project; "
        raise InputError(msg + "make it a folder")
    if file.is_symlink() or (file.exists() and not file.is_file()):
        msg = f"{file} is a link or no file at all, and is not written to; remove it first"
        raise InputError(msg)
