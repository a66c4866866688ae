"""The base of evaluators that ask a language model: settings, prompts, votes, rubrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import replace
from pydantic import AliasChoices, Field

from agentevals.graders.grader import Grader, Services
from agentevals.graders.llm.questions.adk_verdicts import read_validity
from agentevals.graders.llm.questions.judge_prompts import TEXT, build_enum, build_object
from agentevals.judge import ONCE, Judge, JudgeAnswerError, Patience
from agentevals.judge.judge_settings import BaseURL, VariableName
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError

VALID = "valid"

_AS_ADK = Patience(reads=read_validity)
VALIDITY = build_object(reasoning=TEXT, verdict=build_enum((VALID, "invalid")))


def has_majority(votes: Sequence[bool]) -> bool:
    """Return whether more are for it than against it; a tie is not enough."""
    return 2 * sum(votes) > len(votes)


@dataclass(frozen=True)
class Ballot:
    """The decision on a yes-or-no question, with the reason."""

    met: bool
    votes: tuple[bool, ...]
    reasoning: str

    @classmethod
    def decide(cls, votes: Sequence[bool], reasons: Sequence[str]) -> "Ballot":
        """The decision, with the reasons of one of those who carried it."""
        met = has_majority(votes)
        agreeing = (why for vote, why in zip(votes, reasons, strict=True) if vote == met)
        return cls(met, tuple(votes), next(agreeing, ""))

    @property
    def counts(self) -> dict[str, int]:
        return {"yes": sum(self.votes), "no": len(self.votes) - sum(self.votes)}


@dataclass(frozen=True)
class Panel:
    """A judge, asked as often as the majority needs."""

    judge: Judge
    samples: int

    def ask(
        self, prompt: str, schema: dict[str, Any], patience: Patience = ONCE
    ) -> list[dict[str, Any]]:
        """The usable answers, at least one. What cannot be used counts for neither side."""
        usable: list[dict[str, Any]] = []
        problem = ""
        for sample in range(self.samples):
            try:
                usable.append(
                    self.judge.ask(prompt, schema=schema, sample=sample, patience=patience)
                )
            except JudgeAnswerError as error:
                problem = str(error)
        if not usable:
            several = f"none of {self.samples} answers could be used; the last: "
            raise EvaluatorError((several if self.samples > 1 else "") + problem)
        return usable

    def ask_validity(self, prompt: str) -> Ballot:
        """Ask whether something is valid; the majority decides."""
        given = self.ask(prompt, VALIDITY, _AS_ADK)
        return Ballot.decide(
            [answer["verdict"] == VALID for answer in given],
            [answer["reasoning"] for answer in given],
        )


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
