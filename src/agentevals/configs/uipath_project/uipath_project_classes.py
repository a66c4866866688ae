"""Write a new class, or register the classes of a file; a child process reads them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from agentevals.configs.uipath_project import (
    Names,
    Registered,
    check_place,
    find_class_file,
    find_custom_folder,
    find_registered,
    write_files,
    write_kebab_case,
)
from agentevals.files.document_places import quote
from agentevals.graders.programs import hosted_graders
from agentevals.graders.programs.hosted_graders import ThirdPartyCode
from agentevals.graders.uipath import uipath_executions
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.noun import Noun

EVALUATOR = '''"""TODO: describe what {evaluator} judges."""

import json

from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import AgentExecution, EvaluationResult, NumericEvaluationResult


class {criteria}(BaseEvaluationCriteria):
    """What one case is judged by."""

    expected_words: list[str] = []


class {config}(BaseEvaluatorConfig[{criteria}]):
    """How it judges, whatever the case."""

    name: str = "{evaluator}"
    case_sensitive: bool = False


class {evaluator}(BaseEvaluator[{criteria}, {config}, str]):
    """Replace this: the share of the expected words that occur in the agent's output."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        """No other evaluator has this id."""
        return "{evaluator}"

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: {criteria}
    ) -> EvaluationResult:
        """Judge one run of the agent."""
        output = json.dumps(agent_execution.agent_output, ensure_ascii=False)
        words = evaluation_criteria.expected_words
        if not self.evaluator_config.case_sensitive:
            output, words = output.lower(), [word.lower() for word in words]
        missing = [word for word in words if word not in output]
        score = 1 - len(missing) / len(words) if words else 1.0
        return NumericEvaluationResult(score=score, details=json.dumps({{"missing": missing}}))
'''

_IMPORTED = frozenset({"google", "opentelemetry", "pydantic", "typing_extensions", "uipath"})

_VERSION = "1.0"
_SCHEMA = "evaluatorSchema"

_HOST = "uipath_class"
_LONGEST_NAME = 80  # the names of files are made of it


def add(name: str, project: Path) -> Path:
    """Write a class that works as it stands; where it lies."""
    names = Names.make(name)
    path = find_custom_folder(project) / names.file
    _refuse_hiding(name, path.stem)
    try:
        check_place(path, project)
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


class Described(Noun, frozen=True, rename={"name": "class"}):
    """One class as it is registered."""

    name: Annotated[str, Meta(min_length=1)]
    id: Annotated[str, Meta(min_length=1)]
    description: str | None
    config: dict[str, Any]
    types: dict[str, Any]


class _Answer(Noun, frozen=True):
    classes: Annotated[list[Described], Meta(min_length=1)]


def register(given: str, project: Path) -> list[Path]:
    """Check every class of a file, then write the files about each; all of them or none."""
    path = find_class_file(given, project)
    described = describe(path)
    there = dict(_read_evaluators(path.parent.parent))
    taken = {str(one["id"]): at for at, one in there.items() if isinstance(one.get("id"), str)}
    texts: dict[Path, str] = {}
    for one in described:
        files = find_registered(path.parent, write_kebab_case(one.name))
        other = taken.setdefault(one.id, files.evaluator)
        if other != files.evaluator:
            msg = f"{path}: {one.name} has the id {quote(one.id)}, which is that of "
            raise InputError(msg + f"{other} already; every evaluator needs its own")
        if files.evaluator in texts:
            msg = f"{path}: {one.name} and another class would both be {files.evaluator.name}; "
            raise InputError(msg + "rename one of them")
        schema = f"file://{path.name}:{one.name}"
        # only what was registered of the same class is written anew
        if files.evaluator in there and there[files.evaluator].get(_SCHEMA) != schema:
            msg = f"{files.evaluator} exists already, and is not about {path.name}:{one.name}; "
            raise InputError(msg + "rename the class, or move that file away")
        texts |= _write_texts(one, schema, files)
    write_files(texts, project)
    return list(texts)


def _read_evaluators(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(folder.glob("*.json")):
        try:
            # a pipe would be waited for, and a device never ends
            found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        except (OSError, ValueError, RecursionError):
            found = None
        yield path, found if isinstance(found, dict) else {}


def _write_texts(one: Described, schema: str, files: Registered) -> dict[Path, str]:
    evaluator = {
        "version": _VERSION,
        "id": one.id,
        "evaluatorTypeId": f"file://types/{files.types.name}",
        _SCHEMA: schema,
        "description": one.description,
        "evaluatorConfig": one.config,
    }
    return {files.types: _write_json(one.types), files.evaluator: _write_json(evaluator)}


def _write_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def describe(path: Path) -> list[Described]:
    """Return the classes of a file, or an InputError that says what is wrong with one of them."""
    try:
        found = msgspec.convert(_ask(path), _Answer).classes
    except msgspec.ValidationError as error:
        msg = f"{path}: its classes describe themselves in a way that cannot be written: {error}"
        raise InputError(msg) from error
    for one in found:
        if not one.name.isidentifier() or len(one.name) > _LONGEST_NAME:
            msg = f"{path}: {quote(one.name)} cannot be the name of a class that is registered; "
            raise InputError(msg + f"use at most {_LONGEST_NAME} letters, digits and '_'")
    return found


def _ask(path: Path) -> dict[str, Any]:
    code = ThirdPartyCode(_HOST, path.parent, (uipath_executions.find_project(path),))
    question = {
        "task": "describe",
        "path": str(path),
        "class": "",
        "roots": [str(root) for root in uipath_executions.list_roots(path)],
    }
    try:
        answer, _ = hosted_graders.run_host(code, question)
    except EvaluatorError as error:
        msg = f"{path}: {error}"
        raise InputError(msg) from error
    return answer
