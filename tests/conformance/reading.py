"""Reading recordings of any shape: each is compared, or there is a reason why not."""

import json
import subprocess
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError

import agentevals
from agentevals.graders.grader import Grader, Services
from agentevals.graders.grading import grade_case
from agentevals.model.cases import Case
from agentevals.model.errors import AgentEvalsError
from agentevals.model.results import Blame, Result
from tests.conformance.rows import Difference, Row

_OURS = Path(agentevals.__file__).parents[1]
_COMPARING = Path(__file__).parent
_SHOWN = 200  # characters of a reason


class ShapeError(Exception):
    """A recording that cannot be compared; the message says why."""


class BugError(Exception):
    """Our code failed on a recording."""


def compared(name: str, compare: Callable[..., Row], *given: Any) -> Row:
    """Return the comparison of one recording, whatever its shape.

    If our code fails on it, the row is wrong; if only the comparison cannot read it, the row is
    not comparable.
    """
    try:
        return compare(*given)
    except ShapeError as error:
        return Row(name, incomparable=str(error))
    except (AgentEvalsError, BugError, ValidationError, subprocess.TimeoutExpired) as error:
        return _failed(name, error)
    except Exception as error:  # noqa: BLE001 -- the shape of a recording may be any
        place = _place(error)
        if place and not place.startswith(str(_COMPARING)):
            return _failed(name, error)
        return Row(name, incomparable=f"this shape is unknown here: {_said(error)}")


def _failed(name: str, error: Exception) -> Row:
    found = _said(error)
    return Row(name, unexplained=(Difference("ours", "a result", found),))


def _said(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0][:_SHOWN]
    place = "/".join(Path(_place(error)).parts[-2:])
    return f"{type(error).__name__}: {first}" + (f" at {place}" if place else "")


def _place(error: Exception) -> str:
    """The innermost line of ours, or of a comparison, that the error came through."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    known = (f for f in frames if Path(f.filename).is_relative_to(_OURS) or _is_comparing(f))
    return next((f"{frame.filename}:{frame.lineno}" for frame in known), "")


def _is_comparing(frame: traceback.FrameSummary) -> bool:
    path = Path(frame.filename)
    return path.is_relative_to(_COMPARING) and path != Path(__file__)


def each(path: Path, compare: Callable[[str, Any], Row], *keys: str) -> Iterator[Row]:
    """A row for each case of a file; none if there is no such file, one if it cannot be read."""
    if not path.is_file():
        return
    try:
        found = members(path, *keys)
    except ShapeError as error:
        yield Row("/".join((path.name, *keys)), incomparable=str(error))
        return
    for case_id, case in found:
        name = "/".join((path.stem, *(key for key in keys if key != "cases"), case_id))
        yield compared(name, compare, name, case)


def not_written(name: str, case: Any) -> Row:
    """What nothing compares yet."""
    return Row(name, incomparable="no comparison is written for this kind of recording")


def members(path: Path, *keys: str) -> list[tuple[str, Any]]:
    """The cases below some keys of a file, with their names; a ShapeError if there are none."""
    found = document(path)
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            msg = f"{path.name} has no {key!r}"
            raise ShapeError(msg)
        found = found[key]
    if not isinstance(found, dict | list) or not found:
        msg = f"{path.name} holds no cases"
        raise ShapeError(msg)
    if isinstance(found, dict):
        return list(found.items())
    return [(_name(case, at), case) for at, case in enumerate(found)]


def _name(case: Any, at: int) -> str:
    return str(case["id"]) if isinstance(case, dict) and "id" in case else f"{at}"


def has(path: Path, key: str) -> bool:
    """Whether a file can be read and has a key."""
    try:
        return key in document(path)
    except (ShapeError, TypeError):
        return False


def document(path: Path) -> Any:
    """What a JSON file holds, or a ShapeError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        msg = f"there is no {path.name}"
    except (ValueError, RecursionError) as error:
        msg = f"{path.name} is not valid JSON: {error}"
    raise ShapeError(msg)


def of_release(recorded: Any, release: str) -> Any:
    """What one release did; a ShapeError if only others were recorded."""
    if not isinstance(recorded, dict) or release not in recorded:
        msg = f"not recorded with {release}"
        raise ShapeError(msg)
    return recorded[release]


def text(value: Any) -> str:
    """A text, or a ShapeError."""
    if not isinstance(value, str):
        msg = f"a text is {type(value).__name__} here"
        raise ShapeError(msg)
    return value


def graded(grader: Grader, case: Case, services: Services) -> Result:
    """The result of a grader on a case made of a recording; a bug of ours is never a result."""
    result = grade_case(grader, fitting(case), services)
    if result.blame is Blame.BUG:
        raise BugError(result.error)
    return result


def fitting(case: Case) -> Case:
    """A case made of a recording, or a ShapeError if a value is of a type that no case has."""
    try:
        msgspec.convert(msgspec.to_builtins(case), Case)
    except (msgspec.ValidationError, TypeError) as error:
        msg = f"no case can be made of it: {error}"
        raise ShapeError(msg) from error
    return case
