"""A new class in a project."""

from pathlib import Path

from agentevals.errors import InputError
from agentevals.registering import places
from agentevals.registering.names import Names
from agentevals.registering.template import EVALUATOR


def add(name: str, project: Path) -> Path:
    """Write a class that works as it stands; where it lies."""
    names = Names.of(name)
    path = places.custom_folder(project) / names.file
    try:
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
