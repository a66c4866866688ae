"""The base of evaluators that ask a language model: settings, prompts, votes, rubrics."""

from typing import Any, ClassVar

from msgspec.structs import replace
from pydantic import AliasChoices, Field

from agentevals.graders.grader import Grader, Services
from agentevals.graders.llm.questions.panel import Panel
from agentevals.judge import Judge
from agentevals.judge.settings import BaseURL, VariableName
from agentevals.model.cases import Grade


class AskingGrader(Grader):
    """An evaluator that asks the judge, or another one where it says so."""

    waits: ClassVar[bool] = True

    judge_model: str | None = Field(
        default=None, min_length=1, description="Ask this model instead of the run's"
    )
    judge_base_url: BaseURL | None = Field(
        default=None, description="Ask there instead of at the run's address"
    )
    credential_ref: VariableName | None = Field(
        default=None,
        description="Environment variable that holds the key for it; never the key itself",
    )

    @property
    def judged(self) -> bool:
        return True

    @property
    def _changes(self) -> dict[str, Any]:
        return {
            "model": self.judge_model,
            "base_url": self.judge_base_url,
            "api_key_env": self.credential_ref,
        }

    def select_judge(self, services: Services) -> Judge:
        """The judge that is asked."""
        return services.judge.variant(**self._changes)


class JudgedGrader(AskingGrader):
    """An evaluator that asks the judge several times and lets the majority decide."""

    num_samples: int | None = Field(
        default=None,
        ge=1,
        le=50,
        description="Answers per question, of which the majority decides; by default the judge's",
    )

    def build_panel(self, services: Services) -> Panel:
        """Return the judge with the number of samples to ask it for."""
        judge = self.select_judge(services)
        return Panel(judge, self.num_samples or judge.samples)


class TargetedGrader(AskingGrader):
    """An evaluator that asks a judge by its name, as AgentV's do."""

    target: str | None = Field(
        default=None, min_length=1, description="Which of the judges of `judge.targets` is asked"
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="How varied answers are; by default the judge's"
    )
    max_steps: int | None = Field(
        default=None,
        ge=1,
        le=50,
        validation_alias=AliasChoices("max_steps", "maxSteps"),
        description="Accepted and without effect: no judge works in steps here",
    )

    @property
    def _changes(self) -> dict[str, Any]:
        return super()._changes | {"target": self.target, "temperature": self.temperature}

    @property
    def _inert(self) -> dict[str, Any]:
        return {"max_steps": self.max_steps}

    def add_inert(self, grade: Grade) -> Grade:
        """The grade, with the settings that somebody wrote and that changed nothing."""
        written = [name for name, value in self._inert.items() if value]
        if not written:
            return grade
        return replace(grade, details=grade.details | {"without_effect": written})
