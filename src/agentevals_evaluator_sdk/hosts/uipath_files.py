"""The classes in a file of somebody's evaluators for UiPath."""

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from agentevals_evaluator_sdk import hosts
from agentevals_evaluator_sdk.hosts import RefusalError


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
