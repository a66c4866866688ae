"""The evaluators that UiPath brings along to ask a model: classes of users build on them.

There is no model here unless a class brings its own `llm_service`: in an eval set, the types
`uipath-llm-judge-…` ask the judge of the run.
"""

from collections.abc import Callable
from inspect import isawaitable
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field

from agentevals_evaluator_sdk.standins.uipath import standin_tool_spans
from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
    BaseEvaluatorJustification,
)
from agentevals_evaluator_sdk.standins.uipath.standin_evaluator import BaseEvaluator
from agentevals_evaluator_sdk.standins.uipath.standin_outputs import (
    OutputEvaluationCriteria,
    OutputEvaluator,
    OutputEvaluatorConfig,
)
from agentevals_evaluator_sdk.standins.uipath.standin_problems import blame_user
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    EvaluatorType,
    LLMResponse,
    NumericEvaluationResult,
)

__all__ = [
    "BaseLLMJudgeEvaluatorConfig", "BaseLLMOutputEvaluator", "BaseLLMTrajectoryEvaluator",
    "LLMJudgeJustification", "LLMJudgeMixin", "LLMJudgeOutputEvaluator",
    "LLMJudgeOutputEvaluatorConfig", "LLMJudgeOutputSchema",
    "LLMJudgeStrictJSONSimilarityOutputEvaluator",
    "LLMJudgeStrictJSONSimilarityOutputEvaluatorConfig", "LLMJudgeTrajectoryEvaluator",
    "LLMJudgeTrajectoryEvaluatorConfig", "LLMJudgeTrajectorySimulationEvaluator",
    "LLMJudgeTrajectorySimulationEvaluatorConfig", "TrajectoryEvaluationCriteria",
]  # fmt: skip

_SIMILAR = "Judge from 0 to 100 how far {{ActualOutput}} means the same as {{ExpectedOutput}}."
_STRICT = "Judge from 0 to 100 how many keys of {{ExpectedOutput}} are in {{ActualOutput}}."
_COURSE = "Judge from 0 to 100 how far {{AgentRunHistory}} is {{ExpectedAgentBehavior}}."
_PLAYED = f"{_COURSE} It was played: {{{{SimulationInstructions}}}}"
_MOST = 100.0
_DIGITS = 2
_TOOL = "submit_evaluation"
_NO_MODEL = "FAILED_TO_GET_LLM_SERVICE"


class LLMJudgeJustification(BaseEvaluatorJustification):
    """The words of the model."""

    justification: str


class LLMJudgeOutputSchema(BaseModel):
    """The answer of a model."""

    justification: str
    score: float


T = TypeVar("T", bound=BaseEvaluationCriteria)


class BaseLLMJudgeEvaluatorConfig(BaseEvaluatorConfig[T]):
    """The model, and what it is asked."""

    prompt: str
    model: str = ""
    temperature: float = 0.0
    max_tokens: int | None = None


C = TypeVar("C")


class LLMJudgeMixin(BaseEvaluator[T, C, LLMJudgeJustification], Generic[T, C]):
    """Asks a model for a score from 0 to 100, which is divided by 100."""

    system_prompt: str = "You judge what an agent did."
    output_schema: type[BaseModel] = Field(default=LLMJudgeOutputSchema, exclude=True)
    actual_output_placeholder: str = "{{ActualOutput}}"
    expected_output_placeholder: str = "{{ExpectedOutput}}"
    llm_service: Callable[..., Any] | None = Field(default=None, exclude=True)

    async def evaluate(self, workload_execution: Any, evaluation_criteria: T) -> Any:
        prompt = self._create_evaluation_prompt(workload_execution, evaluation_criteria)
        response = await self._get_llm_response(prompt)
        told = {
            "expected": str(self._get_expected_output(evaluation_criteria)),
            "actual": str(self._get_actual_output(workload_execution)),
            "justification": response.justification,
        }
        return NumericEvaluationResult(
            score=max(0.0, min(1.0, round(response.score / _MOST, _DIGITS))),
            details=self.validate_justification(told),
        )

    def _get_actual_output(self, workload_execution: Any) -> Any:
        return workload_execution.workload_output

    def _get_expected_output(self, evaluation_criteria: Any) -> Any:
        return getattr(evaluation_criteria, "expected_output", "")

    def _create_evaluation_prompt(self, workload_execution: Any, evaluation_criteria: Any) -> str:
        config: Any = self.evaluator_config
        shown = {
            self.actual_output_placeholder: self._get_actual_output(workload_execution),
            self.expected_output_placeholder: self._get_expected_output(evaluation_criteria),
        }
        prompt = str(config.prompt)
        for place in shown:
            if place not in prompt:
                prompt += f"\n\n{place}"
        for place, value in shown.items():
            prompt = prompt.replace(place, str(value))
        return prompt

    async def _get_llm_response(self, evaluation_prompt: str) -> LLMResponse:
        if self.llm_service is None:
            what = (
                "no model can be asked from a class here: give it an 'llm_service', or name the "
                "type uipath-llm-judge-… in the eval set, which asks the judge of the run"
            )
            raise blame_user(_NO_MODEL, what)
        config: Any = self.evaluator_config
        answer = self.llm_service(
            model=config.model,
            messages=[
                {"role": "system", "content": self.system_prompt},
                {"role": "user", "content": evaluation_prompt},
            ],
            temperature=config.temperature,
            tools=[_TOOL],
            tool_choice="required",
        )
        response = await answer if isawaitable(answer) else answer
        said = response.choices[0].message.tool_calls[0].arguments
        return LLMResponse(score=float(said["score"]), justification=str(said["justification"]))


class LLMJudgeOutputEvaluatorConfig(
    OutputEvaluatorConfig[OutputEvaluationCriteria],
    BaseLLMJudgeEvaluatorConfig[OutputEvaluationCriteria],
):
    """The configuration of a judged similarity."""

    name: str = "LLMJudgeOutputEvaluator"
    prompt: str = _SIMILAR


class LLMJudgeStrictJSONSimilarityOutputEvaluatorConfig(LLMJudgeOutputEvaluatorConfig):
    """The configuration of a judged similarity, key by key."""

    name: str = "LLMJudgeStrictJSONSimilarityOutputEvaluator"
    prompt: str = _STRICT


class BaseLLMOutputEvaluator(
    OutputEvaluator[OutputEvaluationCriteria, C, LLMJudgeJustification],
    LLMJudgeMixin[OutputEvaluationCriteria, C],
    Generic[C],
):
    """The base of evaluators that have an output judged."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.LLM_JUDGE_OUTPUT.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: OutputEvaluationCriteria
    ) -> Any:
        return await LLMJudgeMixin.evaluate(self, workload_execution, evaluation_criteria)


class LLMJudgeOutputEvaluator(BaseLLMOutputEvaluator[LLMJudgeOutputEvaluatorConfig]):
    """Judges whether the output means the same."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.LLM_JUDGE_OUTPUT_SEMANTIC_SIMILARITY.value


class LLMJudgeStrictJSONSimilarityOutputEvaluator(
    BaseLLMOutputEvaluator[LLMJudgeStrictJSONSimilarityOutputEvaluatorConfig]
):
    """Judges whether the output is the same, key by key."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.LLM_JUDGE_OUTPUT_STRICT_JSON_SIMILARITY.value


class TrajectoryEvaluationCriteria(BaseEvaluationCriteria):
    """The behaviour that is wanted."""

    expected_agent_behavior: str


class LLMJudgeTrajectoryEvaluatorConfig(BaseLLMJudgeEvaluatorConfig[TrajectoryEvaluationCriteria]):
    """The configuration of a judged course."""

    name: str = "LLMJudgeTrajectoryEvaluator"
    prompt: str = _COURSE


class LLMJudgeTrajectorySimulationEvaluatorConfig(
    BaseLLMJudgeEvaluatorConfig[TrajectoryEvaluationCriteria]
):
    """The configuration of a judged course that was played."""

    name: str = "LLMJudgeTrajectorySimulationEvaluator"
    prompt: str = _PLAYED


class BaseLLMTrajectoryEvaluator(LLMJudgeMixin[TrajectoryEvaluationCriteria, C], Generic[C]):
    """The base of evaluators that have a course judged."""

    actual_output_placeholder: str = "{{AgentRunHistory}}"
    expected_output_placeholder: str = "{{ExpectedAgentBehavior}}"
    user_input_placeholder: str = "{{UserOrSyntheticInput}}"
    simulation_instructions_placeholder: str = "{{SimulationInstructions}}"

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.LLM_JUDGE_TRAJECTORY.value

    def _get_actual_output(self, workload_execution: Any) -> Any:
        return standin_tool_spans.trace_to_str(workload_execution.workload_trace)

    def _get_expected_output(self, evaluation_criteria: TrajectoryEvaluationCriteria) -> Any:
        return evaluation_criteria.expected_agent_behavior

    def _create_evaluation_prompt(self, workload_execution: Any, evaluation_criteria: Any) -> str:
        prompt = super()._create_evaluation_prompt(workload_execution, evaluation_criteria)
        return prompt.replace(
            self.user_input_placeholder, str(workload_execution.agent_input)
        ).replace(
            self.simulation_instructions_placeholder, workload_execution.simulation_instructions
        )


class LLMJudgeTrajectoryEvaluator(BaseLLMTrajectoryEvaluator[LLMJudgeTrajectoryEvaluatorConfig]):
    """Judges whether the course is the expected one."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.LLM_JUDGE_TRAJECTORY_SIMILARITY.value


class LLMJudgeTrajectorySimulationEvaluator(
    BaseLLMTrajectoryEvaluator[LLMJudgeTrajectorySimulationEvaluatorConfig]
):
    """Judges whether the course is the expected one, given how it was played."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.LLM_JUDGE_TRAJECTORY_SIMULATION.value
