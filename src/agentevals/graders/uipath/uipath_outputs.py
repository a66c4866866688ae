"""The agent's output as UiPath sees it: an object or a text, and parts of it by path."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from agentevals.files.document_places import quote
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError
from agentevals.text.terminal import plain
from agentevals.text.text_differences import cut_pair
from agentevals.traces.attribute_values import UnreadableError, decode
from agentevals_evaluator_sdk.standins.uipath.standin_paths import (
    WHOLE,
    MissingStepError,
    follow_path,
    split_path,
)
from agentevals_evaluator_sdk.standins.uipath.standin_similarity import TooLongError

_LONGEST = 200
_LONG_NUMBER = 1e15  # is written with an exponent
_LISTED = 8


def check_path(path: str) -> str:
    """The path; a ValueError if it names neither a key nor a position."""
    if path and path != WHOLE and not split_path(path):
        msg = (
            f"{quote(path)} names no key; write a path such as 'items[0].name', or '*' for the "
            "whole output"
        )
        raise ValueError(msg)
    return path


Found = TypeVar("Found")

UNRECORDED = (
    "the recording holds no output of the agent; put @traced on its entry point, or record with "
    "--output-file and --verbose"
)

_ATTACHMENT = "urn:uipath:cas:file:orchestrator:"


_KIND, _RUN = "span_type", "eval"


def find_failure(case: Case) -> str:
    """Return why the run of the agent failed, as `uipath eval` records it; "" if it did not."""
    runs = (span for span in case.conversation.spans if span.attributes.get(_KIND) == _RUN)
    failed = next((span for span in runs if span.failed), None)
    if failed is None:
        return ""
    said = failed.status_message.partition("\n")[0]
    return f"the agent failed: {said}" if said else "the agent failed"


def is_recorded(case: Case) -> bool:
    """Return whether there is an output at all: none is not an empty one."""
    return bool(case.turns) and case.turns[-1].response is not None


def read_output(case: Case) -> dict[str, Any] | str:
    """The final answer: an object if it is one written as JSON, otherwise the text."""
    return unpack(case.turns[-1].response or "") if is_recorded(case) else {}


def unpack(text: str) -> dict[str, Any] | str:
    """The JSON object in a text, or the text."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        found = decode(text)
    except UnreadableError:
        return text
    return found if isinstance(found, dict) else text


def select_part(whole: Any, path: str | tuple[str, ...], whose: str) -> Any:
    """Return the value at a path such as `items[0].name`, or the values at several, by path."""
    if path in {WHOLE, ""}:
        return whole
    if isinstance(whole, str):
        whole = _parse_text(whole, whose)
    if isinstance(path, str):
        return _find_part(whole, path, whose)
    return {each: _find_part(whole, each, whose) for each in path}


def limit_depth(compare: Callable[[], Found]) -> Found:
    """Run a comparison; an EvaluatorError if values are nested too deeply or too long for it."""
    try:
        return compare()
    except RecursionError:
        msg = "the output is nested too deeply to be compared; compare a part of it"
        raise EvaluatorError(msg) from None
    except TooLongError as error:
        raise EvaluatorError(str(error)) from None


def refuse_attachment(value: Any) -> Any:
    """The value, unless it only says where in UiPath's cloud the value lies."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        msg = (
            "the output is a job attachment, which lies in UiPath's cloud and not in the recording"
        )
        raise EvaluatorError(msg)
    return value


def _parse_text(text: str, whose: str) -> Any:
    try:
        return decode(text)
    except UnreadableError as error:
        msg = f"{whose} is a text and has no keys: it {error}; omit 'targetOutputKey'"
        raise EvaluatorError(msg) from None


def _find_part(whole: Any, path: str, whose: str) -> Any:
    if path == WHOLE:
        return whole
    try:
        return follow_path(whole, split_path(path))
    except MissingStepError as error:
        if isinstance(whole, dict) and path in whole:
            return whole[path]
        there = f"; it has {_list_keys(error.there)}" if isinstance(error.there, dict) else ""
        msg = f"{whose} has nothing at {quote(path)}: {quote(error.step)} is not there{there}"
        raise EvaluatorError(msg) from None


def _list_keys(found: dict[str, Any]) -> str:
    names = ", ".join(repr(str(key)[:60]) for key in list(found)[:8])
    return names or "no keys"


def quote_value(value: Any) -> str:
    """A value as a sentence names it."""
    return quote(value, _LONGEST)


def quote_pair(actual: Any, wanted: Any) -> tuple[str, str]:
    """Two values as a sentence names them, each cut to what differs and a little around it."""
    found, expected = cut_pair(repr(actual), repr(wanted), _LONGEST)
    return plain(found), plain(expected)


def write_deviation(actual: Any, wanted: Any) -> str:
    """`'a', not 'b'`."""
    return ", not ".join(quote_pair(drop_zeros(actual), drop_zeros(wanted)))


def drop_zeros(value: Any) -> Any:
    """A value whose whole numbers have no fraction: they were made floats to be compared."""
    if isinstance(value, dict):
        return {key: drop_zeros(item) for key, item in value.items()}
    if isinstance(value, list):
        return [drop_zeros(item) for item in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _LONG_NUMBER
    return int(value) if whole else value


def count_times(count: int) -> str:
    """`1 time`, `2 times`."""
    return f"{count} time{'' if count == 1 else 's'}"


def list_first(told: Iterable[str]) -> str:
    """The first of several, and how many there are besides."""
    every = list(told)
    more = len(every) - _LISTED
    return ", ".join(every[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def grade_yes_or_no(*, met: bool, hit: str = "", miss: str = "", **details: Any) -> Grade:
    """1 or 0, with the one sentence that is true."""
    return Grade(
        score=float(met),
        hits=(hit,) if met else (),
        misses=() if met else (miss,),
        details=details,
    )


def grade_share(score: float, hits: list[str], misses: list[str], **details: Any) -> Grade:
    """A score with what speaks for it and against it."""
    return Grade(score=score, hits=tuple(hits), misses=tuple(misses), details=details)


def grade_missing_calls(expected: object, actual: object, /, **details: Any) -> Grade | None:
    """1 if nothing was expected and nothing done, 0 where only one of the two is so."""
    if expected and actual:
        return None
    if not expected and not actual:
        hit = "no tool call was expected, and there is none"
        return grade_yes_or_no(met=True, hit=hit, **details)
    miss = "there is no tool call" if expected else "no tool call was expected, but there are some"
    return grade_yes_or_no(met=False, miss=miss, **details)
