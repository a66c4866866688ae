"""The execution of an agent, and the result of an evaluator: one of three kinds."""

from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, Union

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, InstanceOf, model_validator
from pydantic.alias_generators import to_camel

__all__ = [
    "AgentExecution", "BaseEvaluationResult", "BooleanEvaluationResult", "ErrorEvaluationResult",
    "EvalItemResult", "EvaluationResult", "EvaluationResultDto", "EvaluatorType", "LLMResponse",
    "NumericEvaluationResult", "ScoreType", "ToolCall", "ToolOutput", "WorkloadExecution",
]  # fmt: skip


class ScoreType(IntEnum):
    """The kind of score of a result."""

    BOOLEAN = 0
    NUMERICAL = 1
    ERROR = 2


class EvaluatorType(str, Enum):  # noqa: UP042 -- its text is what an evaluator file holds
    """The ids of the evaluators that their package brings along."""

    CONTAINS = "uipath-contains"
    EXACT_MATCH = "uipath-exact-match"
    JSON_SIMILARITY = "uipath-json-similarity"
    LLM_JUDGE_OUTPUT = "uipath-llm-judge-output"
    LLM_JUDGE_OUTPUT_SEMANTIC_SIMILARITY = "uipath-llm-judge-output-semantic-similarity"
    LLM_JUDGE_OUTPUT_STRICT_JSON_SIMILARITY = "uipath-llm-judge-output-strict-json-similarity"
    LLM_JUDGE_TRAJECTORY = "uipath-llm-judge-trajectory"
    LLM_JUDGE_TRAJECTORY_SIMILARITY = "uipath-llm-judge-trajectory-similarity"
    LLM_JUDGE_TRAJECTORY_SIMULATION = "uipath-llm-judge-trajectory-simulation"
    TOOL_CALL_ARGS = "uipath-tool-call-args"
    TOOL_CALL_COUNT = "uipath-tool-call-count"
    TOOL_CALL_ORDER = "uipath-tool-call-order"
    TOOL_CALL_OUTPUT = "uipath-tool-call-output"
    BINARY_CLASSIFICATION = "uipath-binary-classification"
    MULTICLASS_CLASSIFICATION = "uipath-multiclass-classification"


class LLMResponse(BaseModel):
    """The answer of a judging model."""

    score: float
    justification: str


class BaseEvaluationResult(BaseModel):
    """The base of results of every kind."""

    model_config = ConfigDict(defer_build=True)

    details: str | dict[str, Any] | list[Any] | InstanceOf[BaseModel] | None = None
    evaluation_time: float | None = None


class BooleanEvaluationResult(BaseEvaluationResult):
    """Yes or no."""

    score: bool
    score_type: Literal[ScoreType.BOOLEAN] = ScoreType.BOOLEAN


class NumericEvaluationResult(BaseEvaluationResult):
    """A number."""

    score: float
    score_type: Literal[ScoreType.NUMERICAL] = ScoreType.NUMERICAL


class ErrorEvaluationResult(BaseEvaluationResult):
    """Nothing could be judged. Their documents call the reason `error`, their class `details`."""

    score: float = 0.0
    score_type: Literal[ScoreType.ERROR] = ScoreType.ERROR
    error: str | None = None

    @model_validator(mode="after")
    def _one_reason(self) -> "ErrorEvaluationResult":
        if self.details is None:
            self.details = self.error
        elif self.error is None and isinstance(self.details, str):
            self.error = self.details
        return self


EvaluationResult = Annotated[
    Union[BooleanEvaluationResult, NumericEvaluationResult, ErrorEvaluationResult],  # noqa: UP007 -- as theirs is asked for its members
    Field(discriminator="score_type"),
]


class EvaluationResultDto(BaseModel):
    """A result as it is handed on: what `reduce_scores` reads."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)

    score: float
    details: str | dict[str, Any] | list[Any] | None = None
    evaluation_time: float | None = Field(
        default=None, validation_alias=AliasChoices("evaluationTime", "evaluation_time")
    )

    @classmethod
    def from_evaluation_result(
        cls, evaluation_result: BaseEvaluationResult
    ) -> "EvaluationResultDto":
        """A yes counts 1 here, where theirs counts 100."""
        details = evaluation_result.details
        return cls(
            score=float(getattr(evaluation_result, "score", 0.0)),
            details=details.model_dump() if isinstance(details, BaseModel) else details,
            evaluation_time=evaluation_result.evaluation_time,
        )


class EvalItemResult(BaseModel):
    """A result, and whose it is."""

    model_config = ConfigDict(defer_build=True)

    evaluator_id: str
    result: EvaluationResult


class ToolCall(BaseModel):
    """The call of a tool."""

    name: str
    args: dict[str, Any]
    id: str | None = None


class ToolOutput(BaseModel):
    """The output of a tool, as text."""

    name: str
    output: str
    id: str | None = None


_NEWER = {
    "workload_input": "agent_input",
    "workload_output": "agent_output",
    "workload_trace": "agent_trace",
}


class AgentExecution(BaseModel):
    """One run of an agent. `workload_output` is `agent_output`, and so are the others."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent_input: dict[str, Any] | None
    agent_output: dict[str, Any] | str
    agent_trace: list[Any]
    expected_agent_behavior: str | None = None
    simulation_instructions: str = ""

    def __init__(self, *fields: Any, **named: Any) -> None:
        known = list(type(self).model_fields)
        older = {_NEWER.get(name, name): value for name, value in named.items()}
        super().__init__(**dict(zip(known, fields, strict=False)), **older)

    @property
    def workload_input(self) -> dict[str, Any] | None:
        return self.agent_input

    @property
    def workload_output(self) -> dict[str, Any] | str:
        return self.agent_output

    @property
    def workload_trace(self) -> list[Any]:
        return self.agent_trace


WorkloadExecution = AgentExecution
