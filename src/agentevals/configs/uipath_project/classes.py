"""Register the classes of a file; a child process reads them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals.configs.uipath_project import describing, names, places
from agentevals.configs.uipath_project.describing import Described
from agentevals.configs.uipath_project.places import Registered
from agentevals.files.places import quoted
from agentevals.model.errors import InputError

_VERSION = "1.0"
_SCHEMA = "evaluatorSchema"

Evaluators = dict[Path, dict[str, Any]]


def register(given: str, project: Path) -> list[Path]:
    """Check every class of a file, then write the files about each; all of them or none."""
    path = places.find_file(given, project)
    described = describing.describe(path)
    there = dict(_read_evaluators(path.parent.parent))
    taken = {str(one["id"]): at for at, one in there.items() if isinstance(one.get("id"), str)}
    texts: dict[Path, str] = {}
    for one in described:
        files = places.find_registered(path.parent, names.write_kebab_case(one.name))
        other = taken.setdefault(one.id, files.evaluator)
        if other != files.evaluator:
            msg = f"{path}: {one.name} has the id {quoted(one.id)}, which is that of "
            raise InputError(msg + f"{other} already; every evaluator needs its own")
        if files.evaluator in texts:
            msg = f"{path}: {one.name} and another class would both be {files.evaluator.name}; "
            raise InputError(msg + "rename one of them")
        _refuse_another(files.evaluator, there, _write_schema(one, path))
        texts |= _write_texts(one, path, files)
    places.write(texts, project)
    return list(texts)


def _read_evaluators(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Read the evaluators of a project, and ignore other files."""
    for path in sorted(folder.glob("*.json")):
        try:
            # a pipe would be waited for, and a device never ends
            found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        except (OSError, ValueError, RecursionError):
            found = None
        yield path, found if isinstance(found, dict) else {}


def _refuse_another(path: Path, there: Evaluators, schema: str) -> None:
    """Only what was registered of the same class is written anew."""
    if path in there and there[path].get(_SCHEMA) != schema:
        msg = f"{path} exists already, and is not about {schema.removeprefix('file://')}; "
        raise InputError(msg + "rename the class, or move that file away")


def _write_schema(one: Described, path: Path) -> str:
    return f"file://{path.name}:{one.name}"


def _write_texts(one: Described, path: Path, files: Registered) -> dict[Path, str]:
    evaluator = {
        "version": _VERSION,
        "id": one.id,
        "evaluatorTypeId": f"file://types/{files.types.name}",
        _SCHEMA: _write_schema(one, path),
        "description": one.description,
        "evaluatorConfig": one.config,
    }
    return {files.types: _write_json(one.types), files.evaluator: _write_json(evaluator)}


def _write_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
