"""The input and the output of a grader: a case and a grade. Nothing here decides."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Self

from agentevals.model.conversations import Conversation, Turn
from agentevals.model.noun import Noun


class Case(Noun, frozen=True):
    """A conversation, paired with what was expected of it: all that a grader sees.

    `expected` is None without an expectation, and `unpaired` then says why. With `equal_turns` it
    is not evaluated if more or fewer turns were recorded than are expected.
    """

    conversation: Conversation
    eval_case_id: str | None = None
    expected: tuple[Turn, ...] | None = None
    unpaired: str = ""
    rubrics: tuple["Rubric", ...] = ()
    criteria: str = ""
    scenario: "Scenario | None" = None
    task: "Task | None" = None
    equal_turns: bool = False

    @property
    def case_id(self) -> str:
        """Stable between runs where an eval set names the case."""
        conversation = self.conversation
        own = "" if conversation.rival_case_ids else conversation.case_id
        return self.eval_case_id or own or conversation.conversation_id

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.conversation.turns

    @property
    def pairs(self) -> tuple[tuple[Turn, Turn], ...]:
        """Recorded and expected turn side by side, as far as both sides go."""
        return tuple(zip(self.turns, self.expected or (), strict=False))

    @property
    def turn_gap(self) -> dict[str, int]:
        """The turns that either side has too many; empty when they are equally long."""
        recorded, expected = len(self.turns), len(self.expected or ())
        if recorded == expected:
            return {}
        return {
            "missing_turns": max(0, expected - recorded),
            "unexpected_turns": max(0, recorded - expected),
        }

    @property
    def has_gaps(self) -> bool:
        """True if a turn, recorded or expected, does not show everything. Most do."""
        for side in (self.conversation.turns, self.expected or ()):
            for turn in side:
                if turn.gaps:
                    return True
        return False

    @property
    def uneven(self) -> str:
        """Why the turns cannot be compared one by one; empty if there are as many as expected."""
        # the messages of a task say how a conversation begins, not how many turns it has
        if self.expected is None or self.task or not self.turn_gap:
            return ""
        return (
            f"the number of turns differs: {len(self.turns)} recorded, {len(self.expected)} "
            "expected; record the conversation again, or correct the eval case"
        )

    @property
    def answer(self) -> str:
        """The last thing the agent said."""
        return (self.turns[-1].response or "") if self.turns else ""


class Rubric(Noun, frozen=True):
    """One property that an answer or a course of action must have.

    `kind` says what it is about as eval sets spell it (`FINAL_RESPONSE_QUALITY`,
    `TOOL_USE_QUALITY`, `TRAJECTORY_QUALITY`); without one it is about whatever is graded.
    `turn` is the place of the one turn that it belongs to; None is all of them.
    """

    rubric_id: str
    text: str
    kind: str = ""
    turn: int | None = None


class Scenario(Noun, frozen=True):
    """The instructions of a simulated user, where an eval case has no fixed conversation.

    `written` is what the eval case says, as it stands.
    """

    opening: str = ""
    plan: str = ""
    persona: str = ""
    written: dict[str, Any] = {}


class Task(Noun, frozen=True):
    """The description of a test in an EVAL file beyond the turns that it expects.

    `input` and `expected_output` are messages (`role`, `content`, `tool_calls`) as they are
    written there; `question` and `reference` are the texts that those come down to.
    """

    question: str = ""
    reference: str = ""
    input: tuple[dict[str, Any], ...] = ()
    expected_output: tuple[dict[str, Any], ...] = ()
    input_files: tuple[str, ...] = ()
    guideline_files: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}


class Status(StrEnum):
    """The end of one evaluator on one case."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    NOT_EVALUATED = "NOT_EVALUATED"
    ERROR = "ERROR"


MISSED_GATES = "missed_gates"  # where the details of a grade name what it vetoes for


class Raw(Noun, frozen=True):
    """The numbers of an evaluator, of which one at least lies outside its own scale."""

    score: float
    threshold: float
    per_turn: tuple[float | None, ...] = ()


class Grade(Noun, frozen=True):
    """The judgement of a grader on one case. A score of None means there was nothing to judge.

    A grader with an opinion of its own sets `status`; otherwise the threshold decides. Where
    something was missed that nothing makes up for, it `vetoes`: the case fails at any score.
    Scores are from 0 to 1; `scale` is what these two are in the words of whoever reads it. Numbers
    outside that scale are its ends here, and `raw` has them as they are.
    """

    score: float | None
    status: Status | None = None
    vetoes: bool = False
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    reasoning: str = ""
    per_turn: tuple[float | None, ...] = ()
    details: dict[str, Any] = {}
    isolation: str = ""
    scale: tuple[float, float] = (0.0, 1.0)
    raw: Raw | None = None

    @classmethod
    def not_evaluated(cls, reason: str) -> Self:
        """Return the grade of a case in which there was nothing to judge."""
        return cls(
            score=None,
            status=Status.NOT_EVALUATED,
            misses=(reason,),
            details={"reason": reason},
        )


def mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that are not None; None when there is none."""
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None
