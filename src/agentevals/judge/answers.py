"""Reading what a judge said. It is untrusted: fitted to the schema, clipped, and made printable."""

from typing import Any

import msgspec
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from agentevals.judge import JudgeAnswerError

LONGEST_ANSWER = 200_000
LONGEST_TEXT = 4_000
_LONGEST_REASON = 200
_LONGEST_COMPLAINT = 300


def read_answer(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The object in the text, or JudgeAnswerError with what is wrong, in words for a model too.

    A code fence or a few words around the object do no harm.
    """
    check_length(text)
    first, last = text.find("{"), text.rfind("}")
    try:
        answer = msgspec.json.decode(text[first : last + 1] if 0 <= first < last else text)
    except (msgspec.DecodeError, RecursionError):
        msg = "the answer is not one JSON object"
        raise JudgeAnswerError(msg) from None
    return check_schema(answer, schema)


def check_length(text: str) -> str:
    """The text, if it is of a length that somebody can have meant."""
    if len(text) > LONGEST_ANSWER:
        msg = f"the answer is longer than {LONGEST_ANSWER} characters"
        raise JudgeAnswerError(msg)
    return text


def check_schema(answer: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """The answer, if it is what was asked for."""
    error = best_match(Draft202012Validator(schema).iter_errors(answer))
    if error is not None or not isinstance(answer, dict):
        reason = error.message if error else "not an object"
        place = f" at {error.json_path}" if error and error.absolute_path else ""
        msg = (
            f"the answer does not fit the schema{place}: {make_printable(reason, _LONGEST_REASON)}"
        )
        raise JudgeAnswerError(msg)
    return {key: _clip(value) for key, value in answer.items()}


def read_error(body: bytes, *, key: str) -> str:
    """The sentence in a server's error document, or whatever else came. The key stays hidden."""
    try:
        document: Any = msgspec.json.decode(body)
        error = document["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError, IndexError):
        text = body.decode(errors="replace")
    return make_printable(text.replace(key, "…") if key else text, _LONGEST_COMPLAINT)


def make_printable(text: str, longest: int = LONGEST_TEXT) -> str:
    """Without what could steer a terminal, and of bounded length."""
    clipped = text if len(text) <= longest else text[:longest] + "…"
    return "".join(c if c.isprintable() or c == "\n" else " " for c in clipped)


def _clip(value: Any) -> Any:
    if isinstance(value, str):
        return make_printable(value)
    if isinstance(value, list):
        return [_clip(item) for item in value]
    if isinstance(value, dict):
        return {key: _clip(item) for key, item in value.items()}
    return value
