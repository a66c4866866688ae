"""A new class in a project."""

import sys
from pathlib import Path

from agentevals.configs.uipath_project import places
from agentevals.configs.uipath_project.names import Names
from agentevals.configs.uipath_project.template import EVALUATOR
from agentevals.model.errors import InputError

_IMPORTED = frozenset({"google", "opentelemetry", "pydantic", "typing_extensions", "uipath"})


def add(name: str, project: Path) -> Path:
    """Write a class that works as it stands; where it lies."""
    names = Names.make(name)
    path = places.find_custom_folder(project) / names.file
    _refuse_hiding(name, path.stem)
    try:
        places.check(path, project)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(EVALUATOR.format(**names._asdict()))
    except FileExistsError:
        msg = f"{path} exists already; choose another name, or remove it first"
        raise InputError(msg) from None
    except OSError as error:
        msg = f"{path}: cannot be written to: {error.strerror}"
        raise InputError(msg) from None
    return path


def _refuse_hiding(given: str, module: str) -> None:
    """Classes look for what they import beside themselves first."""
    if module in sys.stdlib_module_names or module in _IMPORTED:
        msg = (
            f"{given!r} cannot be an evaluator's name: {module}.py would hide the module "
            f"{module!r} from every class beside it; choose another name"
        )
        raise InputError(msg)
