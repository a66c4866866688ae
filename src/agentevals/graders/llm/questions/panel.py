"""Putting one question to the judge several times, and letting the majority decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentevals.graders.llm.questions import adk_answers
from agentevals.judge import ONCE, Judge, JudgeAnswerError, Patience
from agentevals.model.errors import EvaluatorError

VALID = "valid"

_AS_ADK = Patience(reads=adk_answers.read_validity)
VALIDITY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "verdict": {"type": "string", "enum": [VALID, "invalid"]},
    },
    "required": ["reasoning", "verdict"],
    "additionalProperties": False,
}


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
