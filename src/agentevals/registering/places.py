"""Where a project keeps its evaluators: two ways are known, and the one that exists is used."""

from pathlib import Path
from typing import NamedTuple

from agentevals.errors import InputError
from agentevals.seams import suggestion

_LAYOUTS = ("evals", "evaluations")  # as their documents have it, and as their tool has it
_CUSTOM = Path("evaluators", "custom")


def custom_folder(project: Path) -> Path:
    """Where classes lie, or are to lie."""
    for at in (project / layout / _CUSTOM for layout in _LAYOUTS):
        if at.is_dir():
            return at
    layout = next((name for name in _LAYOUTS if (project / name).is_dir()), _LAYOUTS[0])
    return project / layout / _CUSTOM


class Registered(NamedTuple):
    """Where what is registered of a class is written."""

    evaluator: Path
    types: Path


def of_class(custom: Path, stem: str) -> Registered:
    """The files about one class of a folder."""
    return Registered(custom.parent / f"{stem}.json", custom / "types" / f"{stem}-types.json")


def found(given: str, project: Path) -> Path:
    """The file that is meant, in the folder of classes only."""
    custom = custom_folder(project)
    written = Path(given)
    name = written.name if written.suffix == ".py" else f"{written.name}.py"
    beside = written.parent == Path() or (project / written).parent.resolve() == custom.resolve()
    if beside and (custom / name).is_file():
        return custom / name
    shown = custom.relative_to(project).as_posix()
    there = sorted(path.name for path in custom.glob("*.py"))
    hint = suggestion(name, there) if there else "; write one with `agentevals evaluator add`"
    msg = f"Could not find '{given if not beside else name}' in {shown} folder{hint}"
    raise InputError(msg)
