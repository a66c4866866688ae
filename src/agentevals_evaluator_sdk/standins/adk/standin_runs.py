"""The results of a whole run, as ADK keeps them in a file."""

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from agentevals_evaluator_sdk.standins.adk.standin_metrics import (
    EvalMetric,
    EvalMetricResult,
    EvalMetricResultPerInvocation,
    EvalStatus,
)

__all__ = [
    "EvalCaseResult", "EvalMetric", "EvalMetricResult", "EvalMetricResultPerInvocation",
    "EvalSetResult", "EvalStatus",
]  # fmt: skip

_SPELLED = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)


class EvalCaseResult(BaseModel):
    """The results of one case."""

    model_config = _SPELLED

    eval_set_file: str | None = None
    eval_set_id: str = ""
    eval_id: str = ""
    final_eval_status: EvalStatus
    eval_metric_results: list[tuple[EvalMetric, EvalMetricResult]] | None = None
    overall_eval_metric_results: list[EvalMetricResult]
    eval_metric_result_per_invocation: list[EvalMetricResultPerInvocation]
    session_id: str
    session_details: Any = None
    user_id: str | None = None


class EvalSetResult(BaseModel):
    """The results of all cases of an eval set."""

    model_config = _SPELLED

    eval_set_result_id: str
    eval_set_result_name: str | None = None
    eval_set_id: str
    eval_case_results: list[EvalCaseResult] = []
    creation_timestamp: float = 0.0
