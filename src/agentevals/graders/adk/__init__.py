"""Metric functions of Google's ADK, run in a child process."""

import math
import sys
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from agentevals.model.cases import Grade, Raw, Status
from agentevals.model.errors import EvaluatorError

_STATUSES = {"PASSED": Status.PASSED, "FAILED": Status.FAILED, "INFORMATIONAL": Status.PASSED}
_LARGEST = sys.float_info.max
_LARGEST_SHOWN = 1e9  # score that a table can show
_SHOWN = 120  # characters of a wrong value that a message quotes
_NO_TURNS_NEEDED = ("NOT_EVALUATED", "INFORMATIONAL")


class Section(BaseModel):
    """A part of an EvalConfig, in snake case or camel case."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        loc_by_alias=False,
    )


class Interval(Section):
    """From where to where the scores of a metric go."""

    min_value: float = Field(default=0.0, allow_inf_nan=False)
    open_at_min: bool = False
    max_value: float = Field(default=1.0, allow_inf_nan=False)
    open_at_max: bool = False

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if not 0 < self.max_value - self.min_value < math.inf:
            msg = f"max_value ({self.max_value:g}) must be above min_value ({self.min_value:g})"
            raise ValueError(msg)
        return self

    def share(self, score: float) -> float:
        """Return the place of a score between the two ends, from 0 to 1."""
        share = (score - self.min_value) / (self.max_value - self.min_value)
        return max(0.0, min(1.0, share))

    def holds(self, score: float) -> bool:
        """Return whether a score lies in the range; an open end is not part of it."""
        at_end = (self.open_at_min and score == self.min_value) or (
            self.open_at_max and score == self.max_value
        )
        return self.min_value <= score <= self.max_value and not at_end


class MetricValueInfo(Section):
    """The values of a metric."""

    interval: Interval | None = None


class MetricInfo(Section):
    """The description of a metric in the config that brings it."""

    metric_name: str
    description: str | None = None
    metric_value_info: MetricValueInfo
    requires_threshold: bool = True


def _wrap_threshold(given: Any) -> Any:
    return {"threshold": given} if isinstance(given, int | float | str) else given


class CriterionObject(Section):
    """The criterion of a metric: a threshold, and whatever else the metric reads."""

    model_config = ConfigDict(extra="allow")

    threshold: float = Field(allow_inf_nan=False)


Criterion = Annotated[
    CriterionObject,
    BeforeValidator(_wrap_threshold, json_schema_input_type=float | CriterionObject),
]


class MetricSettings(NamedTuple):
    """The name, the threshold and the range that a metric was given."""

    name: str
    threshold: float
    info: MetricInfo | None = None

    @property
    def interval(self) -> Interval:
        return (self.info and self.info.metric_value_info.interval) or Interval()


def add_threshold(given: dict[str, Any]) -> dict[str, Any]:
    """Settings whose threshold is the criterion's, as a share of the metric's range.

    What is wrong with either is left for the model to say.
    """
    criterion = given.get("criterion")
    info = given.get("metric_info", given.get("metricInfo"))
    if "threshold" in given or criterion is None:
        return given
    try:
        raw = float(_read_member(_wrap_threshold(criterion), "threshold"))
        parsed = MetricInfo.model_validate(info) if info is not None else None
    except (TypeError, ValueError, OverflowError):
        return given
    if not math.isfinite(raw):
        return given
    return {**given, "threshold": MetricSettings("", raw, parsed).interval.share(raw)}


def _read_member(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def build_grade(
    answer: dict[str, Any], told: MetricSettings, turns: int, *, isolation: str = ""
) -> Grade:
    """The grade that an EvaluationResult comes down to; its own opinion is final."""
    raw = _check_number(answer.get("score"), told.name)
    status = _read_status(answer, told, raw)
    each = _read_invocation_scores(answer, told, turns, status)
    interval = told.interval
    shares = tuple(None if score is None else interval.share(score) for score in each)
    details = _list_details(answer, told, raw)
    if status == "NOT_EVALUATED" or raw is None:
        reason = _explain_missing_score(raw)
        return Grade(
            score=None,
            status=Status.NOT_EVALUATED,
            misses=(reason,),
            per_turn=shares,
            details=details | {"reason": reason},
            isolation=isolation,
        )
    if status not in _STATUSES:
        msg = f"evaluator {told.name!r} gave the status {status[:_SHOWN]!r}"
        raise EvaluatorError(msg)
    return Grade(
        score=interval.share(raw),
        status=_STATUSES[status],
        reasoning=_describe_outside(raw, interval),
        per_turn=shares,
        details=details,
        isolation=isolation,
        scale=(interval.min_value, interval.max_value),
        raw=_keep_raw(Raw(score=raw, threshold=told.threshold, per_turn=each), interval),
    )


def _read_status(answer: dict[str, Any], told: MetricSettings, raw: float | None) -> str:
    """Its own; a function with the signature of the first release leaves it to whoever calls."""
    if answer.get("by_threshold") and raw is not None:
        return "PASSED" if raw >= told.threshold else "FAILED"
    return str(answer.get("status"))


def _explain_missing_score(raw: float | None) -> str:
    if raw is None:
        return "the metric gave no overall_score"
    return f"the metric says NOT_EVALUATED beside the score {raw:g}, by its overall_eval_status"


def _describe_outside(raw: float, interval: Interval) -> str:
    if interval.holds(raw):
        return ""
    known = f"{interval.min_value:g} to {interval.max_value:g}"
    return f"the score {raw:g} lies outside {known}; metric_info can give the range"


def _list_details(
    answer: dict[str, Any], told: MetricSettings, raw: float | None
) -> dict[str, Any]:
    interval = told.interval
    details = {
        "raw_score": raw,
        "raw_threshold": told.threshold,
        "range": [interval.min_value, interval.max_value],
        "adk_status": answer.get("status"),
        "per_invocation": answer.get("per_invocation"),
        "rubric_scores": answer.get("rubric_scores"),
    }
    return {key: value for key, value in details.items() if value is not None}


def _read_invocation_scores(
    answer: dict[str, Any], told: MetricSettings, turns: int, status: str
) -> tuple[float | None, ...]:
    given = answer.get("per_invocation")
    each = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    if len(each) != turns and status not in _NO_TURNS_NEEDED:
        msg = (
            f"evaluator {told.name!r} gave {len(each)} per_invocation_results for {turns} "
            "invocations; there has to be one for each"
        )
        raise EvaluatorError(msg)
    return tuple(_check_number(one.get("score"), told.name) for one in each)


def _keep_raw(raw: Raw, usual: Interval) -> Raw | None:
    """Return the numbers if one lies outside the range, and each can be shown."""
    numbers = [n for n in (raw.score, raw.threshold, *raw.per_turn) if n is not None]
    outside = any(not usual.min_value <= number <= usual.max_value for number in numbers)
    return raw if outside and all(abs(n) <= _LARGEST_SHOWN for n in numbers) else None


def _check_number(given: object, name: str) -> float | None:
    if given is None:
        return None
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) <= _LARGEST:
        return float(given)
    msg = f"evaluator {name!r} gave the score {repr(given)[:_SHOWN]}; a finite number was expected"
    raise EvaluatorError(msg)
