"""What evaluators that ask a language model have in common: settings, prompts, votes, rubrics."""

from typing import ClassVar

from pydantic import Field

from agentevals.grading import Grader, Services
from agentevals.judge.settings import BaseURL, VariableName
from agentevals.judging.votes import Panel


class JudgedGrader(Grader):
    """An evaluator that asks the judge, in its own way where it says so."""

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
    num_samples: int | None = Field(
        default=None,
        ge=1,
        le=50,
        description="Answers per question, of which the majority decides; by default the judge's",
    )

    @property
    def judged(self) -> bool:
        return True

    def panel(self, services: Services) -> Panel:
        """Whom to ask, and how often."""
        judge = services.judge.variant(
            model=self.judge_model,
            base_url=self.judge_base_url,
            api_key_env=self.credential_ref,
        )
        return Panel(judge, self.num_samples or judge.samples)
