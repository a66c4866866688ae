"""The fields of a structured answer, compared with the expected values as AgentV does it."""

import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agentevals.graders import javascript
from agentevals.graders.agentv import written_dates
from agentevals.graders.javascript import UNDEFINED
from agentevals.graders.text.regex import pattern
from agentevals.model.errors import EvaluatorError

_FENCE = re.compile(r"```(?:json)?", re.IGNORECASE)
_STEP = re.compile(r"[^.\[\]]+")


def read_document(answer: str) -> Any:
    """Parse the text from the first to the last brace, or all of it."""
    plain = javascript.trim(_FENCE.sub("", answer))
    start, end = plain.find("{"), plain.rfind("}")
    return javascript.parse_json(plain[start : end + 1] if 0 <= start < end else plain)


def read_expected(messages: Sequence[dict[str, Any]]) -> Any:
    """Read the last message of an assistant that is not empty; undefined without one."""
    for message in reversed(messages):
        content = _read_content(message)
        if isinstance(content, dict | list):
            return content
        if isinstance(content, str) and content:
            try:
                return read_document(content) or UNDEFINED
            except ValueError:
                continue
    return UNDEFINED


def _read_content(message: dict[str, Any]) -> Any:
    """Read what an assistant says; of content in blocks the JSON, else the text."""
    content = message.get("content") if message.get("role") == "assistant" else None
    if not isinstance(content, list) or not content or not all(map(_is_block, content)):
        return content
    structured = [block["value"] for block in content if block["type"] == "json"]
    if structured:
        return structured[-1]
    return "".join(block["value"] for block in content if isinstance(block["value"], str))


def _is_block(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "value"}


def read_value(path: str, document: Any) -> Any:
    """`invoice.lines[0].amount` or `invoice.lines.0.amount`; undefined where there is nothing."""
    for key in _STEP.findall(path):
        document = javascript.read_member(document, key)
    return document


Match = Literal["exact", "numeric_tolerance", "date", "contains", "regex"]


class FieldCheck(BaseModel):
    """One field, and how it is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    path: str = Field(min_length=1, description="Where it is: `invoice.lines[0].amount`")
    match: Match = Field(
        default="exact",
        description="`exact`: equal, at any depth; `numeric_tolerance`: numbers near each other; "
        "`date`: the same day; `contains`: the expected text, or item, is in it; `regex`: the "
        "expected value is a pattern that it matches",
    )
    required: bool = Field(default=True, description="Whether it must be there")
    weight: float = Field(
        default=1.0,
        ge=-1e9,
        le=1e9,
        allow_inf_nan=False,
        strict=True,
        description="Share in the score",
    )
    tolerance: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        strict=True,
        description="How far numbers may be apart",
    )
    relative: bool = Field(
        default=False, description="Whether the tolerance is a share of the expected number"
    )
    formats: tuple[str, ...] = Field(
        default=(), description="How dates are written, such as `DD/MM/YYYY`; tried in this order"
    )

    @field_validator("formats")
    @classmethod
    def _check_formats(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        for one in formats:
            if mistake := written_dates.find_mistake(one):
                msg = f"{one!r} is no format of dates: {mistake}; write one such as 'DD/MM/YYYY'"
                raise ValueError(msg)
        return formats


class FieldResult(NamedTuple):
    """The comparison of one field. A missing field that is not required has no weight."""

    path: str
    met: bool
    weight: float
    said: str
    found: Any = UNDEFINED
    wanted: Any = UNDEFINED


class Agreement(NamedTuple):
    """The agreement of two values, with a remark."""

    met: bool
    remark: str = ""


def compare_field(check: FieldCheck, answer: Any, expected: Any) -> FieldResult:
    """One field of an answer beside the same field of what was expected."""
    found, wanted = read_value(check.path, answer), read_value(check.path, expected)
    path, weight = check.path, check.weight
    if wanted is UNDEFINED:
        return FieldResult(path, True, weight, f"{path}: no expected value", found)
    if found is UNDEFINED and check.required:
        return FieldResult(path, False, weight, f"{path} (required, missing)", found, wanted)
    if found is UNDEFINED:
        return FieldResult(path, True, 0.0, f"{path}: optional field missing", found, wanted)
    met, remark = _WAYS[check.match](found, wanted, check)
    said = f"{path} ({remark})" if remark else path
    return FieldResult(path, met, weight, said, found, wanted)


def _compare_exactly(found: Any, wanted: Any, _check: FieldCheck) -> Agreement:
    if javascript.is_same(found, wanted):
        return Agreement(True)
    got, asked = javascript.name_type(found), javascript.name_type(wanted)
    if got != asked:
        return Agreement(False, f"type mismatch: got {got}, expected {asked}")
    return Agreement(False, "value mismatch")


def _compare_numbers(found: Any, wanted: Any, check: FieldCheck) -> Agreement:
    got, asked = _read_number(found), _read_number(wanted)
    if got is None or asked is None:
        return Agreement(False, "non-numeric value")
    if not (isfinite(got) and isfinite(asked)):
        return Agreement(False, "invalid numeric value")
    apart = abs(got - asked)
    share = apart / abs(asked) if check.relative and asked else apart
    said = f"diff={javascript.to_fixed(apart, 2)}"
    if share <= check.tolerance:
        return Agreement(True, f"within tolerance: {said}")
    allowed = javascript.format_number(check.tolerance)
    return Agreement(False, f"outside tolerance: {said}, tolerance={allowed}")


def _read_number(value: Any) -> float | None:
    if isinstance(value, str):
        return javascript.parse_float(value)
    return javascript.to_double(value) if javascript.name_type(value) == "number" else None


def _compare_days(found: Any, wanted: Any, check: FieldCheck) -> Agreement:
    got = written_dates.read_day(javascript.to_text(found), check.formats)
    asked = written_dates.read_day(javascript.to_text(wanted), check.formats)
    if got is None or asked is None:
        return Agreement(False, f"unparseable {'expected' if got else 'candidate'} date")
    if got == asked:
        return Agreement(True)
    return Agreement(False, f"date mismatch: got {got}, expected {asked}")


def _find_in(found: Any, wanted: Any, _check: FieldCheck) -> Agreement:
    if isinstance(found, str) and not isinstance(wanted, dict | list):
        return _add_remark(
            javascript.to_text(wanted) in found, "does not contain the expected text"
        )
    if not isinstance(found, list):
        return Agreement(False, f"neither text nor list: got {javascript.name_type(found)}")
    items = wanted if isinstance(wanted, list) else [wanted]
    there = all(any(javascript.is_same(one, item) for one in found) for item in items)
    return _add_remark(there, "does not contain the expected item")


def _match_pattern(found: Any, wanted: Any, check: FieldCheck) -> Agreement:
    if not isinstance(wanted, str):
        said = f"it is {javascript.name_type(wanted)}, not text"
        raise EvaluatorError(_describe_bad_pattern(check, said))
    try:
        expression = pattern(wanted)
    except ValueError as error:
        raise EvaluatorError(_describe_bad_pattern(check, str(error))) from error
    if found is None or isinstance(found, dict | list):
        return Agreement(False, "no text that a pattern could match")
    met = expression.occurs_in(javascript.to_text(found))
    return _add_remark(met, "does not match the expected pattern")


def _describe_bad_pattern(check: FieldCheck, why: str) -> str:
    return f"the expected value of the field {check.path!r} is no pattern: {why}"


def _add_remark(met: bool, otherwise: str) -> Agreement:
    return Agreement(met, "" if met else otherwise)


_WAYS: dict[Match, Callable[[Any, Any, FieldCheck], Agreement]] = {
    "exact": _compare_exactly,
    "numeric_tolerance": _compare_numbers,
    "date": _compare_days,
    "contains": _find_in,
    "regex": _match_pattern,
}
