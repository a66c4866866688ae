"""Evaluators for UiPath: the classes in a file, and one of them with its configuration."""

from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from agentevals_evaluator_sdk import hosts
from agentevals_evaluator_sdk.hosts import Answer, RefusalError
from agentevals_evaluator_sdk.hosts.hosted_mistakes import explain


class UnknownKeyError(RefusalError):
    """A key that nobody reads; `key` is which."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


def list_classes(path: Path) -> list[type[Any]]:
    """Return the evaluators of a file; what others are built on is not counted."""
    module = hosts.load_file(path, f"evaluator_{path.stem}")
    base = import_module("uipath.eval.evaluators").BaseEvaluator
    own = [
        found
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, base)
        if found.__module__ == module.__name__
    ]
    built_on = {other for found in own for other in found.__mro__[1:]}
    left = [found for found in dict.fromkeys(own) if found not in built_on]
    if not left:
        msg = f"Could not find a class inheriting from BaseEvaluator in {path.name}"
        raise RefusalError(msg)
    return left


def load(path: Path, name: str) -> type[Any]:
    """Return the class of that name in a file, or the only evaluator there."""
    if not name:
        return _require_one(path, list_classes(path))
    module = hosts.load_file(path, f"evaluator_{path.stem}")
    base = import_module("uipath.eval.evaluators").BaseEvaluator
    classes = {k: v for k, v in vars(module).items() if isinstance(v, type)}
    found = classes.get(name)
    if found is None:
        own = [k for k, v in classes.items() if v.__module__ == module.__name__ and "[" not in k]
        near = get_close_matches(name, own, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        msg = f"Class {name!r} not found in {path}{hint}. Available classes: {own}"
        raise RefusalError(msg)
    if not issubclass(found, base):
        msg = f"Class {name!r} must be a subclass of BaseEvaluator"
        raise RefusalError(msg)
    return found


def _require_one(path: Path, classes: list[type[Any]]) -> type[Any]:
    if len(classes) == 1:
        return classes[0]
    names = ", ".join(found.__name__ for found in classes)
    msg = f"{path.name} has several evaluators ({names}); say which with class_name"
    raise RefusalError(msg)


def create(found: type[Any], question: Answer) -> Any:
    """Return an evaluator of this class, as the question configures it."""
    config = {**question["config"]}
    kind = find_type(found, "evaluator_config")
    if question["description"]:
        config["description"] = question["description"]
    is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
    if is_model and "name" not in config and kind.model_fields["name"].is_required():
        config["name"] = question["name"]
    named = {"evaluatorTypeId": question["type_id"]} if question["type_id"] else {}
    try:
        return found(
            id=question["id"],
            name=question["name"],
            evaluatorConfig=config,
            config=config,
            **named,
        )
    except Exception as error:
        raise RefusalError(explain(error, "evaluatorConfig")) from error


def find_type(found: type[Any], field: str) -> Any:
    """Return what a class annotates a field with, None if it has no such field."""
    fields = getattr(found, "model_fields", {})
    return fields[field].annotation if field in fields else None


def refuse(unknown: Iterator[UnknownKeyError]) -> None:
    """Raise the first of these, if there is one."""
    for error in unknown:
        raise error


def list_unknown_settings(found: type[Any], question: Answer) -> Iterator[UnknownKeyError]:
    """Yield an error for each key of the configuration that the class does not read."""
    kind = find_type(found, "evaluator_config")
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from _list_unknown(kind, question["config"], "evaluatorConfig")


def list_unknown_criteria(evaluator: Any, criteria: Any) -> Iterator[UnknownKeyError]:
    """Yield an error for each key of the criteria that the evaluator does not read."""
    kind = getattr(evaluator, "evaluation_criteria_type", None)
    if isinstance(criteria, dict) and isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from _list_unknown(kind, criteria, "evaluationCriteria")


def _list_unknown(
    kind: type[BaseModel], given: dict[str, Any], what: str
) -> Iterator[UnknownKeyError]:
    """Yield an error for each key that nobody reads: what it should have said goes unsaid."""
    if kind.model_config.get("extra") in {"allow", "forbid"}:
        return
    known: set[str] = set()
    for name, field in kind.model_fields.items():
        known |= {name, *(a for a in (field.alias, field.validation_alias) if isinstance(a, str))}
    for key in given:
        if key not in known and not key.startswith("x-"):
            near = get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known))}"
            yield UnknownKeyError(f"{what} has the unknown key {key!r} ({hint})", key)
