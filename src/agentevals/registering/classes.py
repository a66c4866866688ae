"""What is registered of the classes in a file, once they have been looked at in a child."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentevals import hosted
from agentevals.documents.places import quoted
from agentevals.errors import EvaluatorError, InputError
from agentevals.hosted import Foreign, executions
from agentevals.registering import names, places
from agentevals.registering.places import Registered

_HOST = "uipath_class"
_VERSION = "1.0"


def register(given: str, project: Path) -> list[Path]:
    """Check every class of a file, then write the files about each; all of them or none."""
    path = places.found(given, project)
    described = _described(path)
    taken = dict(_ids(path.parent.parent))
    texts: dict[Path, str] = {}
    for one in described:
        files = places.of_class(path.parent, names.kebab(str(one["class"])))
        other = taken.setdefault(str(one["id"]), files.evaluator)
        if other != files.evaluator:
            msg = f"{path}: {one['class']} has the id {quoted(str(one['id']))}, which is that of "
            raise InputError(msg + f"{other} already; every evaluator needs its own")
        texts |= _texts(one, path, files)
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"{error.filename}: cannot be written to: {error.strerror}"
        raise InputError(msg) from None
    return list(texts)


def _described(path: Path) -> list[dict[str, Any]]:
    code = Foreign(_HOST, path.parent, (executions.project(path),))
    question = {
        "task": "describe",
        "path": str(path),
        "class": "",
        "roots": [str(root) for root in executions.roots(path)],
    }
    try:
        answer, _ = hosted.ask(code, question)
    except EvaluatorError as error:
        msg = f"{path}: {error}"
        raise InputError(msg) from error
    found = answer.get("classes")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _ids(folder: Path) -> Iterator[tuple[str, Path]]:
    """The ids that evaluators of a project have. A file that says none is none of our business."""
    for path in sorted(folder.glob("*.json")):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get("id"), str):
            yield found["id"], path


def _texts(one: dict[str, Any], path: Path, files: Registered) -> dict[Path, str]:
    evaluator = {
        "version": _VERSION,
        "id": one["id"],
        "evaluatorTypeId": f"file://types/{files.types.name}",
        "evaluatorSchema": f"file://{path.name}:{one['class']}",
        "description": one["description"],
        "evaluatorConfig": one["config"],
    }
    return {files.types: _json(one["types"]), files.evaluator: _json(evaluator)}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
