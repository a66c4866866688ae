"""Criteria, descriptions and outcomes of metrics."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, field_validator
from pydantic.alias_generators import to_camel

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel
from agentevals_evaluator_sdk.standins.adk.standin_cases import Invocation
from agentevals_evaluator_sdk.standins.adk.standin_contents import GenerateContentConfig
from agentevals_evaluator_sdk.standins.adk.standin_rubrics import Rubric, RubricScore

__all__ = [
    "BaseCriterion", "DurationDetails", "EvalMetric", "EvalMetricResult",
    "EvalMetricResultDetails", "EvalMetricResultPerInvocation", "EvalStatus",
    "HallucinationsCriterion", "Interval", "JudgeModelOptions", "LlmAsAJudgeCriterion",
    "LlmBackedUserSimulatorCriterion", "MetricInfo", "MetricInfoProvider", "MetricName",
    "MetricValueInfo", "PrebuiltMetrics", "RubricsBasedCriterion", "Threshold",
    "TokenUsageDetails", "ToolTrajectoryCriterion",
]  # fmt: skip

MetricName = str
Threshold = float


class EvalStatus(Enum):
    """The outcome of a metric."""

    PASSED = 1
    FAILED = 2
    NOT_EVALUATED = 3
    INFORMATIONAL = 4


class PrebuiltMetrics(Enum):
    """The metrics that ADK brings along."""

    TOOL_TRAJECTORY_AVG_SCORE = "tool_trajectory_avg_score"
    RESPONSE_EVALUATION_SCORE = "response_evaluation_score"
    RESPONSE_MATCH_SCORE = "response_match_score"
    SAFETY_V1 = "safety_v1"
    FINAL_RESPONSE_MATCH_V2 = "final_response_match_v2"
    RUBRIC_BASED_FINAL_RESPONSE_QUALITY_V1 = "rubric_based_final_response_quality_v1"
    HALLUCINATIONS_V1 = "hallucinations_v1"
    RUBRIC_BASED_TOOL_USE_QUALITY_V1 = "rubric_based_tool_use_quality_v1"
    PER_TURN_USER_SIMULATOR_QUALITY_V1 = "per_turn_user_simulator_quality_v1"
    MULTI_TURN_TASK_SUCCESS_V1 = "multi_turn_task_success_v1"
    MULTI_TURN_TRAJECTORY_QUALITY_V1 = "multi_turn_trajectory_quality_v1"
    MULTI_TURN_TOOL_USE_QUALITY_V1 = "multi_turn_tool_use_quality_v1"
    RUBRIC_BASED_MULTI_TURN_TRAJECTORY_QUALITY_V1 = "rubric_based_multi_turn_trajectory_quality_v1"
    TOOL_CALL_COUNT_V1 = "tool_call_count_v1"
    INFERENCE_CALL_COUNT_V1 = "inference_call_count_v1"
    TOKEN_USAGE_V1 = "token_usage_v1"  # noqa: S105 -- a name
    INVOCATION_DURATION_V1 = "invocation_duration_v1"


class JudgeModelOptions(EvalBaseModel):
    """The judging model, and the number of requests to it."""

    judge_model: str = "gemini-2.5-flash"
    judge_model_config: GenerateContentConfig | None = None
    num_samples: int = Field(default=5, ge=1)
    parallelism_limit: int = Field(default=1, ge=1)


class BaseCriterion(BaseModel):
    """From which score on a metric passes, and whatever else it reads."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", defer_build=True
    )

    threshold: Threshold
    include_intermediate_responses_in_final: bool = False


class LlmAsAJudgeCriterion(BaseCriterion):
    """For metrics that ask a model."""

    judge_model_options: JudgeModelOptions = Field(default_factory=JudgeModelOptions)


class RubricsBasedCriterion(LlmAsAJudgeCriterion):
    """For metrics that ask a model about rubrics."""

    rubrics: list[Rubric] = []


class HallucinationsCriterion(LlmAsAJudgeCriterion):
    """For the metric that looks for unfounded sentences."""

    evaluate_intermediate_nl_responses: bool = False


class LlmBackedUserSimulatorCriterion(LlmAsAJudgeCriterion):
    """For the metric that judges a simulated user."""

    stop_signal: str = "</finished>"


class ToolTrajectoryCriterion(BaseCriterion):
    """For the metric that compares tool calls."""

    class MatchType(Enum):
        """The way to compare calls."""

        EXACT = 0
        IN_ORDER = 1
        ANY_ORDER = 2

    match_type: MatchType = MatchType.EXACT
    ignore_args: bool = False

    @field_validator("match_type", mode="before")
    @classmethod
    def _find_by_name(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        return cls.MatchType.__members__.get(
            given.upper().replace("-", "_").replace(" ", "_"), given
        )


class EvalMetric(EvalBaseModel):
    """A metric, as a config asks for it."""

    metric_name: str
    threshold: Threshold | None = None
    criterion: SerializeAsAny[BaseCriterion] | None = None
    custom_function_path: str | None = None


class TokenUsageDetails(EvalBaseModel):
    """Token counts, by use."""

    total_tokens: float | None = None
    input_tokens: float | None = None
    prompt_tokens: float | None = None
    cached_tokens: float | None = None
    tool_use_tokens: float | None = None
    output_tokens: float | None = None
    candidates_tokens: float | None = None
    reasoning_tokens: float | None = None


class DurationDetails(EvalBaseModel):
    """Durations, by part."""

    total_seconds: float | None = None
    model_seconds: float | None = None
    tool_seconds: float | None = None
    framework_seconds: float | None = None


class EvalMetricResultDetails(EvalBaseModel):
    """Details beside the score."""

    rubric_scores: list[RubricScore] | None = None
    token_usage_details: TokenUsageDetails | None = None
    duration_details: DurationDetails | None = None


class EvalMetricResult(EvalMetric):
    """A metric, and how it ended."""

    score: float | None = None
    eval_status: EvalStatus
    details: EvalMetricResultDetails = Field(default_factory=EvalMetricResultDetails)


class EvalMetricResultPerInvocation(EvalBaseModel):
    """One turn, and how every metric ended on it."""

    actual_invocation: Invocation
    expected_invocation: Invocation | None = None
    eval_metric_results: list[EvalMetricResult] = []


class Interval(EvalBaseModel):
    """From where to where values go."""

    min_value: float
    open_at_min: bool = False
    max_value: float
    open_at_max: bool = False


class MetricValueInfo(EvalBaseModel):
    """A description of a metric's values."""

    interval: Interval | None = None


class MetricInfo(EvalBaseModel):
    """A description of a metric."""

    metric_name: str
    description: str | None = None
    metric_value_info: MetricValueInfo
    requires_threshold: bool = True


class MetricInfoProvider(ABC):
    """A provider of a metric's description."""

    @abstractmethod
    def get_metric_info(self) -> MetricInfo:
        """Return the description of the metric."""
