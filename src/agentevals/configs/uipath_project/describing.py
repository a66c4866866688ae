"""Describe the classes of a file in a child process: third-party code may say anything."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from agentevals.files.places import quoted
from agentevals.graders.programs import hosts
from agentevals.graders.programs.hosts import ThirdPartyCode
from agentevals.graders.uipath import executions
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.noun import Noun

_HOST = "uipath_class"
_LONGEST_NAME = 80  # the names of files are made of it


class Described(Noun, frozen=True, rename={"name": "class"}):
    """One class as it is registered."""

    name: Annotated[str, Meta(min_length=1)]
    id: Annotated[str, Meta(min_length=1)]
    description: str | None
    config: dict[str, Any]
    types: dict[str, Any]


class _Answer(Noun, frozen=True):
    classes: Annotated[list[Described], Meta(min_length=1)]


def describe(path: Path) -> list[Described]:
    """The classes of a file, or an InputError that says what is wrong with one of them."""
    try:
        found = msgspec.convert(_ask(path), _Answer).classes
    except msgspec.ValidationError as error:
        msg = f"{path}: its classes describe themselves in a way that cannot be written: {error}"
        raise InputError(msg) from error
    for one in found:
        if not one.name.isidentifier() or len(one.name) > _LONGEST_NAME:
            msg = f"{path}: {quoted(one.name)} cannot be the name of a class that is registered; "
            raise InputError(msg + f"use at most {_LONGEST_NAME} letters, digits and '_'")
    return found


def _ask(path: Path) -> dict[str, Any]:
    code = ThirdPartyCode(_HOST, path.parent, (executions.find_project(path),))
    question = {
        "task": "describe",
        "path": str(path),
        "class": "",
        "roots": [str(root) for root in executions.list_roots(path)],
    }
    try:
        answer, _ = hosts.run_host(code, question)
    except EvaluatorError as error:
        msg = f"{path}: {error}"
        raise InputError(msg) from error
    return answer
