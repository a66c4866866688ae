"""What UiPath's errors and pydantic's say, in sentences for the author of a file."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

_LONGEST = 60  # of a value that is shown
_WANTED = {
    "a valid boolean": "true or false",
    "a valid dictionary": "a mapping",
    "a valid integer": "a whole number",
    "a valid list": "a list",
    "a valid number": "a number",
    "a valid string": "text",
}
_MORE = re.compile(r", unable to |, got a | or instance of ")  # what follows is told already
_SAID = {"missing": "is missing", "extra_forbidden": "is an unknown key"}


def explain(error: Exception, what: str = "") -> str:
    """Return what is wrong with a class, or with what it is told; UiPath's errors have a title."""
    info = getattr(error, "error_info", None)
    told = error if info is None else error.__cause__
    sentences = "; ".join(tell_mistakes(told)) if isinstance(told, ValidationError) else ""
    if info is None:
        return f"cannot be made: {sentences or error}"
    if sentences:
        return f"{what or info.title}: {sentences}"
    detail = str(info.detail).partition("\n\nTraceback")[0]
    return info.title if info.title == detail else f"{info.title}: {detail}"


def tell_mistakes(error: ValidationError) -> Iterator[str]:
    """Yield a sentence for each mistake: where, what is expected, what is there."""
    for mistake in error.errors(include_url=False):
        where, kind = _join(mistake["loc"]), mistake["type"]
        if kind in {"value_error", "assertion_error"}:
            yield f"{where}: {mistake['ctx']['error']}"
            continue
        yield f"{where} {_SAID.get(kind) or _tell_rule(mistake['msg'], mistake['input'])}"


def _tell_rule(message: str, given: Any) -> str:
    """Return the rule of a message such as `Input should be a valid string`."""
    rule = message.partition("Input should be ")[2]
    if not rule:
        return f"is not right: {message[0].lower()}{message[1:]}"
    wanted = _MORE.split(rule)[0]
    return f"must be {_WANTED.get(wanted, wanted)}, not {_describe(given)}"


def _join(location: Sequence[int | str]) -> str:
    name = ""
    for step in location:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return repr(name) if name else "the value"


def _describe(given: Any) -> str:
    if given is None or isinstance(given, bool):
        return json.dumps(given)
    if isinstance(given, dict | list):
        return "a mapping" if isinstance(given, dict) else "a list"
    shown = repr(given)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
