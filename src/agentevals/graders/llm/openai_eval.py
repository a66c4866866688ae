"""`openai_eval`: the graders of the OpenAI Evals API, computed here unless the API is asked for."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from agentevals.graders.grader import NO_EVAL_SET, NO_RESPONSE, Grader, Services
from agentevals.graders.llm.questions.judge_prompts import ACTUAL, EXPECTED, check_places
from agentevals.graders.text.text_metrics import Metric, compute_similarity, describe_shortfalls
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Turn
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from agentevals.graders.llm import openai_backends
else:  # only for the judge or the API
    openai_backends = Lazy("agentevals.graders.llm.openai_backends")


class TextSimilarity(BaseModel):
    """The similarity of each turn's answer and the one in the eval set."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    type: Literal["text_similarity"] = Field(description="Compare with the expected answer")
    evaluation_metric: Metric = Field(description="How two texts are compared")

    def build_criterion(self, name: str, threshold: float) -> dict[str, Any]:
        """The testing criterion as the Evals API wants it."""
        return {
            **self.model_dump(mode="json"),
            "name": name,
            "input": "{{ item.actual_response }}",
            "reference": "{{ item.expected_response }}",
            "pass_threshold": threshold,
        }


class Message(BaseModel):
    """One message of the prompt that the judge gets."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    role: Literal["system", "developer", "user", "assistant"] = Field(description="Who says it")
    content: str = Field(
        min_length=1,
        description="The text; `{{ item.actual_response }}` is the agent's answer, "
        "`{{ item.expected_response }}` the one in the eval set",
    )

    @field_validator("content")
    @classmethod
    def _check_places(cls, content: str) -> str:
        return check_places(content, (ACTUAL, EXPECTED))


class LabelModel(BaseModel):
    """A model reads each answer and gives it one of the labels."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    type: Literal["label_model"] = Field(description="Let a model choose a label")
    model: str = Field(min_length=1, description="The model that is asked")
    input: tuple[Message, ...] = Field(min_length=1, description="The prompt")
    labels: tuple[str, ...] = Field(min_length=1, description="What the model chooses from")
    passing_labels: tuple[str, ...] = Field(min_length=1, description="The labels that pass")

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        unknown = [label for label in self.passing_labels if label not in self.labels]
        if unknown:
            msg = f"'passing_labels' has {unknown[0]!r}, which is not one of 'labels'"
            raise ValueError(msg)
        return self

    def build_criterion(self, name: str, threshold: float) -> dict[str, Any]:
        """The testing criterion as the Evals API wants it; a label needs no threshold."""
        return {**self.model_dump(mode="json"), "name": name}


class OpenAIEval(Grader):
    """A grader of the OpenAI Evals API, one item per turn."""

    type = "openai_eval"
    judges_by = frozenset({Fact.ANSWER})
    waits = True

    grader: Annotated[TextSimilarity | LabelModel, Field(discriminator="type")] = Field(
        description="Which grader, and its settings"
    )
    backend: Literal["local", "api"] = Field(
        default="local",
        description="`local` computes here or asks the configured judge; `api` calls OpenAI Evals",
    )
    timeout: float = Field(default=120, gt=0, description="Seconds the hosted run may take")

    @property
    def judged(self) -> bool:
        return self.backend == "api" or isinstance(self.grader, LabelModel)

    def grade(self, case: Case, services: Services) -> Grade:
        if isinstance(self.grader, TextSimilarity) and case.expected is None:
            return Grade.not_evaluated(case.unpaired or NO_EVAL_SET)
        criterion = self.grader.build_criterion(self.name, self.threshold)
        if self.backend == "api":
            return openai_backends.run_hosted(
                case, services, criterion=criterion, timeout=self.timeout
            )
        if isinstance(self.grader, LabelModel):
            return openai_backends.grade_labels(case, services.judge, criterion=criterion)
        return self._compare(case, self.grader.evaluation_metric)

    def _compare(self, case: Case, metric: Metric) -> Grade:
        scores = tuple(_compare_turn(metric, actual, expected) for actual, expected in case.pairs)
        known = [score for score in scores if score is not None]
        if not known:
            return Grade.not_evaluated(case.unpaired or NO_RESPONSE)
        passed = sum(score >= self.threshold for score in known)
        counts = {"passed": passed, "failed": len(known) - passed, "total": len(known)}
        return Grade(
            score=mean(scores),
            per_turn=scores,
            misses=tuple(describe_shortfalls(case, metric, scores, self.threshold)),
            details={"evaluation_metric": metric, "result_counts": counts, **case.turn_gap},
        )


def _compare_turn(metric: Metric, actual: Turn, expected: Turn) -> float | None:
    """Silence is compared as an empty text; an expectation without a text is not compared."""
    if expected.response is None:
        return None
    return compute_similarity(metric, actual.response or "", expected.response)
