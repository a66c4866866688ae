"""The keys of an EvalConfig, in snake case or camel case."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, field_validator

from agentevals.graders.adk import MetricInfo, Section
from agentevals.graders.tools.tool_call_matching import MatchType
from agentevals.model.plugins import suggestion

# between what the scores of `response_evaluation_score` lie there
LOWEST_COHERENCE, HIGHEST_COHERENCE = 1, 5


# what concerns the running of an agent
OF_THE_AGENT = frozenset(
    {*("user_simulator_config", "userSimulatorConfig"), *("live_model_config", "liveModelConfig")}
)


def _keep(given: Any) -> Any:
    return given


# ADK takes a number in quotes as well
Threshold = Annotated[float, BeforeValidator(_keep, json_schema_input_type=float | str)]


class Criterion(Section):
    """Settings that every metric takes."""

    threshold: Threshold = Field(ge=0, le=1)
    include_intermediate_responses_in_final: bool = False

    def settings(self) -> dict[str, Any]:
        """Return the settings under the names that our evaluator has for them, and others."""
        return self.model_dump()


class Words(Criterion):
    """`response_match_score`, which reads nothing but the final response there."""

    def settings(self) -> dict[str, Any]:
        return {"threshold": self.threshold}


_UNORDERED = "UNORDERED"  # means any order, and looks like in order


def _read_match_type(given: Any) -> Any:
    """Return the name of a match type that is given by number, or in any spelling of ADK."""
    known = [kind.value for kind in MatchType]
    if type(given) is int and 0 <= given < len(known):
        return known[given]
    if not isinstance(given, str):
        return given
    name = given.strip().upper().replace("-", "_").replace(" ", "_")
    if name not in known:
        near = f"; did you mean {MatchType.ANY_ORDER.value!r}?" if name == _UNORDERED else ""
        msg = f"unknown match type {given[:60]!r}{near or suggestion(name, known)}"
        raise ValueError(msg)
    return name


class Trajectory(Criterion):
    """`tool_trajectory_avg_score`."""

    match_type: Annotated[MatchType, BeforeValidator(_read_match_type)] = MatchType.EXACT
    ignore_args: bool = False

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "trajectory_match_type": self.match_type}


class JudgeModelOptions(Section):
    """The model that judges, and how often it does."""

    judge_model: str | None = Field(default=None, min_length=1)
    judge_model_config: dict[str, Any] | None = None
    num_samples: int | None = Field(default=None, ge=1, le=50)
    parallelism_limit: int = Field(default=1, ge=1)


class Judged(Criterion):
    """A metric that a language model judges."""

    judge_model_options: JudgeModelOptions = JudgeModelOptions()

    def settings(self) -> dict[str, Any]:
        options = self.judge_model_options
        return {
            **super().settings(),
            "judge_model": options.judge_model,
            "num_samples": options.num_samples,
        }


class Coherence(Judged):
    """`response_evaluation_score`, whose scores are from 1 to 5 there and from 0 to 1 here."""

    threshold: Threshold = Field(ge=0, le=HIGHEST_COHERENCE)

    def settings(self) -> dict[str, Any]:
        scale = HIGHEST_COHERENCE - LOWEST_COHERENCE
        share = max(0.0, (self.threshold - LOWEST_COHERENCE) / scale)
        return {**super().settings(), "threshold": share}


class RubricContent(Section):
    """The text of a rubric."""

    text_property: str = Field(min_length=1)


class RubricWritten(Section):
    """A rubric of a criterion."""

    rubric_id: str = Field(min_length=1)
    rubric_content: RubricContent
    description: str | None = None
    type: str | None = None


class Rubrics(Judged):
    """A metric that asks about properties one by one."""

    rubrics: list[RubricWritten] = []

    def settings(self) -> dict[str, Any]:
        own = [{"id": r.rubric_id, "text": r.rubric_content.text_property} for r in self.rubrics]
        return {**super().settings(), "rubrics": own}


class Hallucinations(Judged):
    """`hallucinations_v1`."""

    evaluate_intermediate_nl_responses: bool = False


class Simulator(Judged):
    """`per_turn_user_simulator_quality_v1`."""

    stop_signal: str = Field(default="</finished>", min_length=1)


class Custom(Criterion):
    """A metric of the user's own: the function is handed all of it."""

    model_config = ConfigDict(extra="allow")

    threshold: Threshold = Field(allow_inf_nan=False)

    def settings(self) -> dict[str, Any]:
        return {"criterion": self.model_dump()}


class CodeConfig(Section):
    """The import path of a custom metric's function."""

    name: str

    @field_validator("name")
    @classmethod
    def _is_a_path(cls, given: str) -> str:
        module, _, name = given.rpartition(".")
        if not all(part.isidentifier() for part in (*module.split("."), name)):
            msg = (
                f"{given[:80]!r} is no import path; write one such as 'my_agent.metrics.my_metric'"
            )
            raise ValueError(msg)
        return given


class CustomMetric(Section):
    """A function that judges."""

    code_config: CodeConfig
    metric_info: MetricInfo | None = None
    description: str = ""


def _list_none(given: Any) -> Any:
    return {} if given is None else given


class EvalConfig(Section):
    """The top level. What is in `criteria` depends on the metric, and is read by itself."""

    criteria: dict[str, Any] = {}
    custom_metrics: Annotated[dict[str, CustomMetric], BeforeValidator(_list_none)] = {}
    user_simulator_config: dict[str, Any] | None = None
    live_model_config: dict[str, Any] | None = None


_RUBRICS = (
    "rubric_based_final_response_quality_v1",
    "rubric_based_tool_use_quality_v1",
    "rubric_based_multi_turn_trajectory_quality_v1",
)
_JUDGED = (
    "final_response_match_v2",
    "safety_v1",
    "multi_turn_task_success_v1",
    "multi_turn_trajectory_quality_v1",
    "multi_turn_tool_use_quality_v1",
)
# what each metric that ships with ADK may be given
CRITERIA: dict[str, type[Criterion]] = {
    "tool_trajectory_avg_score": Trajectory,
    "response_match_score": Words,
    "response_evaluation_score": Coherence,
    "hallucinations_v1": Hallucinations,
    "per_turn_user_simulator_quality_v1": Simulator,
    **dict.fromkeys(_JUDGED, Judged),
    **dict.fromkeys(_RUBRICS, Rubrics),
}
# counted in every run, and a criterion of none
COUNTERS = (
    "tool_call_count_v1",
    "inference_call_count_v1",
    "token_usage_v1",
    "invocation_duration_v1",
)
