"""Whether a field of an answer has the expected value, in whichever way that is asked."""

from collections.abc import Callable
from math import isfinite
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agentevals.graders import javascript
from agentevals.graders.agentv.fields import dates
from agentevals.graders.agentv.fields.documents import value_at
from agentevals.graders.javascript import UNDEFINED
from agentevals.model.errors import EvaluatorError
from agentevals.text.patterns import pattern

Match = Literal["exact", "numeric_tolerance", "date", "contains", "regex"]


class FieldCheck(BaseModel):
    """One field, and how it is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, description="Where it is: `invoice.lines[0].amount`")
    match: Match = Field(
        default="exact",
        description="`exact`: equal, at any depth; `numeric_tolerance`: numbers near each other; "
        "`date`: the same day; `contains`: the expected text, or item, is in it; `regex`: the "
        "expected value is a pattern that it matches",
    )
    required: bool = Field(default=True, description="Whether it must be there")
    weight: float = Field(
        default=1.0, ge=-1e9, le=1e9, allow_inf_nan=False, description="Share in the score"
    )
    tolerance: float = Field(
        default=0.0, ge=0, allow_inf_nan=False, description="How far numbers may be apart"
    )
    relative: bool = Field(
        default=False, description="Whether the tolerance is a share of the expected number"
    )
    formats: tuple[str, ...] = Field(
        default=(), description="How dates are written, such as `DD/MM/YYYY`; tried in this order"
    )

    @field_validator("formats")
    @classmethod
    def _can_be_read(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        for one in formats:
            if mistake := dates.mistake_in(one):
                msg = f"{one!r} is no format of dates: {mistake}; write one such as 'DD/MM/YYYY'"
                raise ValueError(msg)
        return formats


class Compared(NamedTuple):
    """What came of one field. One that need not be there and is not has no weight."""

    path: str
    met: bool
    weight: float
    said: str
    found: Any = UNDEFINED
    wanted: Any = UNDEFINED


class Judged(NamedTuple):
    """Whether two values agree, and a word on it."""

    met: bool
    remark: str = ""


def compared(check: FieldCheck, answer: Any, expected: Any) -> Compared:
    """One field of an answer beside the same field of what was expected."""
    found, wanted = value_at(check.path, answer), value_at(check.path, expected)
    path, weight = check.path, check.weight
    if wanted is UNDEFINED:
        return Compared(path, True, weight, f"{path}: no expected value", found)
    if found is UNDEFINED and check.required:
        return Compared(path, False, weight, f"{path} (required, missing)", found, wanted)
    if found is UNDEFINED:
        return Compared(path, True, 0.0, f"{path}: optional field missing", found, wanted)
    met, remark = _WAYS[check.match](found, wanted, check)
    said = f"{path} ({remark})" if remark else path
    return Compared(path, met, weight, said, found, wanted)


def _exact(found: Any, wanted: Any, _check: FieldCheck) -> Judged:
    if javascript.same(found, wanted):
        return Judged(True)
    got, asked = javascript.type_of(found), javascript.type_of(wanted)
    if got != asked:
        return Judged(False, f"type mismatch: got {got}, expected {asked}")
    return Judged(False, "value mismatch")


def _near(found: Any, wanted: Any, check: FieldCheck) -> Judged:
    got, asked = _number(found), _number(wanted)
    if got is None or asked is None:
        return Judged(False, "non-numeric value")
    if not (isfinite(got) and isfinite(asked)):
        return Judged(False, "invalid numeric value")
    apart = abs(got - asked)
    share = apart / abs(asked) if check.relative and asked else apart
    said = f"diff={javascript.to_fixed(apart, 2)}"
    if share <= check.tolerance:
        return Judged(True, f"within tolerance: {said}")
    allowed = javascript.number_text(check.tolerance)
    return Judged(False, f"outside tolerance: {said}, tolerance={allowed}")


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return javascript.parse_float(value)
    return javascript.double(value) if javascript.type_of(value) == "number" else None


def _same_day(found: Any, wanted: Any, check: FieldCheck) -> Judged:
    got = dates.day_of(javascript.text(found), check.formats)
    asked = dates.day_of(javascript.text(wanted), check.formats)
    if got is None or asked is None:
        return Judged(False, f"unparseable {'expected' if got else 'candidate'} date")
    if got == asked:
        return Judged(True)
    return Judged(False, f"date mismatch: got {got}, expected {asked}")


def _has(found: Any, wanted: Any, _check: FieldCheck) -> Judged:
    if isinstance(found, str) and not isinstance(wanted, dict | list):
        return _remarked(javascript.text(wanted) in found, "does not contain the expected text")
    if not isinstance(found, list):
        return Judged(False, f"neither text nor list: got {javascript.type_of(found)}")
    items = wanted if isinstance(wanted, list) else [wanted]
    there = all(any(javascript.same(one, item) for one in found) for item in items)
    return _remarked(there, "does not contain the expected item")


def _matches(found: Any, wanted: Any, check: FieldCheck) -> Judged:
    if not isinstance(wanted, str):
        said = f"it is {javascript.type_of(wanted)}, not text"
        raise EvaluatorError(_no_pattern(check, said))
    try:
        expression = pattern(wanted)
    except ValueError as error:
        raise EvaluatorError(_no_pattern(check, str(error))) from error
    if found is None or isinstance(found, dict | list):
        return Judged(False, "no text that a pattern could match")
    met = expression.occurs_in(javascript.text(found))
    return _remarked(met, "does not match the expected pattern")


def _no_pattern(check: FieldCheck, why: str) -> str:
    return f"the expected value of the field {check.path!r} is no pattern: {why}"


def _remarked(met: bool, otherwise: str) -> Judged:
    return Judged(met, "" if met else otherwise)


_WAYS: dict[Match, Callable[[Any, Any, FieldCheck], Judged]] = {
    "exact": _exact,
    "numeric_tolerance": _near,
    "date": _same_day,
    "contains": _has,
    "regex": _matches,
}
