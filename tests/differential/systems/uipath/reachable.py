"""What the grammar has to reach, as our own types of evaluators say it."""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader
from agentevals.graders.llm.questions import JudgedGrader
from tests.differential.systems.uipath.classes import KINDS

_CLASS = "uipath_class"
# ours alone, or drawn with the items; a text of a judge is drawn by its model and its prompt
_NOT_OF_A_FILE = {*Grader.model_fields, *JudgedGrader.model_fields, "simulation_instructions"}
_OF_A_FILE = {"judge_model", "threshold"}


def list_reachable() -> set[tuple[str, str]]:
    """Every type, each of its settings, each value that a setting can have, each kind of class."""
    found = {("class", kind) for kind in KINDS}
    found |= {("layout", layout) for layout in ("sdk", "legacy")}
    for kind in GRADERS.ours:
        if not kind.startswith("uipath_"):
            continue
        found.add(("type", kind))
        if kind != _CLASS:
            found |= set(_list_settings(kind, GRADERS[kind]))
    return found


def _list_settings(kind: str, grader: type[Grader]) -> Iterator[tuple[str, str]]:
    legacy = "_legacy_" in kind
    for name, field in grader.model_fields.items():
        if (name in _NOT_OF_A_FILE and name not in _OF_A_FILE) or (legacy and name == "threshold"):
            continue
        values = {str(value) for value in _list_values(field.annotation)}
        what = f"{kind}.{name}"
        if name in getattr(grader, "of_the_case", ()):
            yield from ((what, value) for value in values or {"set"})
        else:
            yield from ((what, value) for value in {*values, "unset"})
            if not values:
                yield what, "set"


def _list_values(annotation: Any) -> Iterator[Any]:
    """Each value that is one of a few, at any depth."""
    if annotation is bool:
        yield from (True, False)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field in annotation.model_fields.values():
            yield from _list_values(field.annotation)
    else:
        for inner in get_args(annotation):
            yield from _list_values(inner)
