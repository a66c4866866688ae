"""What an agent put out, as UiPath sees it: an object or a text, and parts of it by path."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from agentevals.files.places import quoted
from agentevals.graders.uipath import paths
from agentevals.model.cases import Case
from agentevals.model.errors import EvaluatorError
from agentevals.traces.spans.values import UnreadableError, decode

Found = TypeVar("Found")

UNRECORDED = (
    "the recording holds no output of the agent; put @traced on its entry point, or record with "
    "--output-file and --verbose"
)

_ATTACHMENT = "urn:uipath:cas:file:orchestrator:"


def recorded(case: Case) -> bool:
    """Whether there is an output at all: none is not an empty one."""
    return bool(case.turns) and case.turns[-1].response is not None


def of_case(case: Case) -> dict[str, Any] | str:
    """The final answer: an object if it is one written as JSON, otherwise the text."""
    return unpacked(case.turns[-1].response or "") if recorded(case) else {}


def unpacked(text: str) -> dict[str, Any] | str:
    """The JSON object in a text, or the text."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        found = decode(text)
    except UnreadableError:
        return text
    return found if isinstance(found, dict) else text


def part(whole: Any, path: str | tuple[str, ...], whose: str) -> Any:
    """What stands at a path such as `items[0].name`, or at several of them, by path."""
    if path in {paths.WHOLE, ""}:
        return whole
    if isinstance(whole, str):
        whole = _parsed(whole, whose)
    if isinstance(path, str):
        return _at(whole, path, whose)
    return {each: _at(whole, each, whose) for each in path}


def normal(value: Any) -> Any:
    """Numbers as floats, at any depth; truth values stay what they are."""
    if isinstance(value, dict):
        return {key: normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return value
    return value


def shallow(compare: Callable[[], Found]) -> Found:
    """What a comparison finds; an EvaluatorError where values are too deep for it."""
    try:
        return compare()
    except RecursionError:
        msg = "the output is nested too deeply to be compared; compare a part of it"
        raise EvaluatorError(msg) from None


def at_hand(value: Any) -> Any:
    """The value, unless it only says where in UiPath's cloud the value lies."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        msg = (
            "the output is a job attachment, which lies in UiPath's cloud and not in the recording"
        )
        raise EvaluatorError(msg)
    return value


def lines(value: Any, delimiter: str) -> list[str]:
    """The lines of a text that are not blank."""
    text = value if isinstance(value, str) else str(value)
    return [line for line in text.split(delimiter) if line.strip()]


def as_text(value: Any) -> str:
    """A value as a person wrote it or would: a text stays one, the rest is JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _parsed(text: str, whose: str) -> Any:
    try:
        return decode(text)
    except UnreadableError as error:
        msg = f"{whose} is a text and has no keys: it {error}; leave 'targetOutputKey' out"
        raise EvaluatorError(msg) from None


def _at(whole: Any, path: str, whose: str) -> Any:
    try:
        return paths.at(whole, paths.steps(path))
    except paths.MissingStepError as error:
        if isinstance(whole, dict) and path in whole:
            return whole[path]
        there = f"; it has {_listed(error.there)}" if isinstance(error.there, dict) else ""
        msg = f"{whose} has nothing at {quoted(path)}: {quoted(error.step)} is not there{there}"
        raise EvaluatorError(msg) from None


def _listed(found: dict[str, Any]) -> str:
    names = ", ".join(repr(str(key)[:60]) for key in list(found)[:8])
    return names or "no keys"
