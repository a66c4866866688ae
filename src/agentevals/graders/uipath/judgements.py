"""What a class for UiPath answered, as a grade."""

import json
import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec

from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result

_REASONS = ("justification", "explanation", "reasoning", "rationale", "reason")
_TEXT = "details"  # the key of details that are a text
_LONGEST = 4000  # characters of what a class says about its own error
_SHOWN = 120  # characters of a value that a message quotes
_MEMBERS = 12  # of details that are told one by one


def of_result(answer: dict[str, Any], *, name: str, isolation: str = "") -> Grade:
    """The grade that an evaluation result comes down to; `kind` is which of the three it is."""
    kind, score = answer.get("kind"), answer.get("score")
    details = _details(answer.get("details"))
    if kind == "error":
        msg = f"evaluator {name!r}: {_said(details)[:_LONGEST]}"
        raise EvaluatorError(msg)
    if kind == "boolean":
        score = float(score is True)
    number_ = number(score, name)
    if not 0 <= number_ <= 1:
        msg = f"evaluator {name!r} gave the score {number_:g}; it must be from 0 to 1"
        raise EvaluatorError(msg)
    return Grade(
        score=number_,
        reasoning=_reason(details),
        details=details,
        isolation=isolation,
    )


def _reason(details: dict[str, Any]) -> str:
    """The words in the details; without any, what the details say member by member."""
    told = (details.get(key) for key in (*_REASONS, _TEXT))
    if text := next((text for text in told if isinstance(text, str) and text), ""):
        return text
    members = (f"{key}: {_short(value)}" for key, value in islice(details.items(), _MEMBERS))
    return "; ".join(members)


def _short(value: object) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "…"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _said(details: dict[str, Any]) -> str:
    if not details:
        return "ErrorEvaluationResult, without a reason; give it as `error`"
    said = str(details.get(_TEXT) or json.dumps(details, ensure_ascii=False, default=str))
    missing = "No module named" in said
    return f"{said}; list it in a requirements.txt beside the evaluator" if missing else said


def number(score: object, name: str) -> float:
    """A score that is a number at all."""
    if not isinstance(score, bool) and isinstance(score, int | float):
        try:
            if math.isfinite(float(score)):
                return float(score)
        except OverflowError:
            pass
    shown = repr(score)[:_SHOWN]
    msg = f"evaluator {name!r} gave the score {shown}; a number from 0 to 1 was expected"
    raise EvaluatorError(msg)


def reducible(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The scores of the cases that have one, as `reduce_scores` reads them."""
    return [
        {"score": result.score, "details": result.details}
        for result in results
        if result.score is not None
    ]


def _details(given: object) -> dict[str, Any]:
    """An object, also where it came as a text; any other text under the key `details`."""
    if isinstance(given, str):
        try:
            parsed = msgspec.json.decode(given)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            parsed = None
        return parsed if isinstance(parsed, dict) else {_TEXT: given}
    return given if isinstance(given, dict) else {}
