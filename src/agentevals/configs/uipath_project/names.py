"""The names of files and classes, made of the one name that the user gave."""

import re
from typing import NamedTuple, Self

from agentevals.model.errors import InputError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_INNER_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")
_SUFFIX = "Evaluator"


class Names(NamedTuple):
    """The file of an evaluator and its three classes."""

    file: str
    evaluator: str
    criteria: str
    config: str

    @classmethod
    def make(cls, given: str) -> Self:
        """`my-thing` is `my_thing.py` with a `MyThingEvaluator`."""
        name = given.removesuffix(".py")
        if not _NAME.fullmatch(name):
            msg = f"{given!r} cannot be an evaluator's name; use letters, digits, '_' and '-'"
            raise InputError(msg)
        words = re.split(r"[-_]+", name.strip("-_"))
        pascal = "".join(word[:1].upper() + word[1:] for word in words)
        evaluator = pascal if pascal.endswith(_SUFFIX) else f"{pascal}{_SUFFIX}"
        return cls(
            file=f"{_write_snake_case(name)}.py",
            evaluator=evaluator,
            criteria=f"{evaluator.removesuffix(_SUFFIX)}EvaluationCriteria",
            config=f"{evaluator}Config",
        )


def _write_snake_case(name: str) -> str:
    parts = (part for piece in re.split(r"[-_]+", name) for part in _INNER_CAPITAL.split(piece))
    return "_".join(part.lower() for part in parts if part)


def write_kebab_case(name: str) -> str:
    """`MyThing` as the files that are written about a class spell it: `my-thing`."""
    return _INNER_CAPITAL.sub("-", name).lower()
