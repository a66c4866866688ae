"""UiPath's evaluators that ask a language model: here they ask the judge of the run."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import AliasChoices, Field

from agentevals.graders.grader import Services
from agentevals.graders.judged.questions import JudgedGrader
from agentevals.graders.judged.questions.prompts import question, untrusted
from agentevals.graders.judged.questions.templates import fill
from agentevals.graders.judged.questions.votes import Panel
from agentevals.graders.uipath import outputs
from agentevals.graders.uipath.settings import OfExpectedOutput, UiPathEvaluator, not_expected
from agentevals.model.cases import Case, Grade, mean

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "justification": {"type": "string"},
        "score": {"type": "number", "minimum": 0, "maximum": 100},
    },
    "required": ["justification", "score"],
    "additionalProperties": False,
}
_ASKED = """\
Say first, in a few sentences, what speaks for and against it. Then give a score from 0 to 100: 100
if nothing is left to wish for, 0 if nothing of it is right.
"""
_MOST = 100
_DIGITS = 2


class UiPathJudge(UiPathEvaluator, JudgedGrader):
    """Asks the judge for a score from 0 to 100, which is divided by 100.

    A `prompt` has places in double braces. What it must show and has no place is added below it.
    """

    waits: ClassVar[bool] = True
    usual: ClassVar[str]
    places: ClassVar[tuple[str, ...]]
    needed: ClassVar[int] = 2  # how many of the places a prompt must have

    judge_model: str | None = Field(
        default=None,
        validation_alias=AliasChoices("judge_model", "judgeModel", "model"),
        description="Ask this model instead of the run's",
    )
    prompt: str | None = Field(
        default=None, min_length=1, description="What is asked, instead of the usual question"
    )

    def asked(self, shown: Mapping[str, str], services: Services) -> Grade:
        """The judge's score for what it is shown, by the name of its place."""
        panel = Panel(self.panel(services).judge, self.num_samples or 1)
        prompt = question(self._filled(shown), asked=_ASKED)
        answers = panel.answers(prompt, _SCHEMA)
        scores = [round(answer["score"] / _MOST, _DIGITS) for answer in answers]
        reasons = [str(answer["justification"]) for answer in answers]
        score = mean(scores) or 0.0
        met = score >= self.threshold
        return Grade(
            score=max(0.0, min(1.0, score)),
            hits=(reasons[0],) if met else (),
            misses=() if met else (reasons[0],),
            details={"scores": scores} if len(scores) > 1 else {},
        )

    def _filled(self, shown: Mapping[str, str]) -> str:
        material = {name: untrusted(name.upper(), text) for name, text in shown.items()}
        prompt = self.prompt or self.usual
        missing = [n for n in self.places[: self.needed] if f"{{{{{n}}}}}" not in _tight(prompt)]
        whole = "\n".join([prompt, *(f"{{{{{name}}}}}" for name in missing)])
        return fill(whole, lambda name: material.get(name, f"{{{{{name}}}}}"))


class OutputJudge(OfExpectedOutput, UiPathJudge):
    """Compares the output with the expected one, by a model."""

    places = ("ActualOutput", "ExpectedOutput")

    def grade(self, case: Case, services: Services) -> Grade:
        wanted = outputs.shallow(lambda: self.expectation(case))
        if wanted is None:
            return not_expected(case)
        if not outputs.recorded(case):
            return Grade.not_evaluated(outputs.UNRECORDED)
        expected, actual = outputs.shallow(lambda: self.sides(case, wanted))
        texts = (outputs.as_text(actual), outputs.as_text(expected))
        return self.asked(dict(zip(self.places, texts, strict=True)), services)


class TrajectoryJudge(UiPathJudge):
    """Judges all that the agent did, by a model."""

    places = (
        "AgentRunHistory",
        "ExpectedAgentBehavior",
        "UserOrSyntheticInput",
        "SimulationInstructions",
    )
    of_the_case: ClassVar[tuple[str, ...]] = ("expected_agent_behavior", "simulation_instructions")

    expected_agent_behavior: str = Field(
        default="", description="What it should do; the criteria of the case where it is left out"
    )
    simulation_instructions: str = Field(
        default="", description="What was played to the agent instead of its tools or its user"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        behaviour = self.expected_agent_behavior or case.criteria
        if not case.turns:
            return Grade.not_evaluated("there is no turn to judge")
        if not behaviour:
            reason = "no behaviour is expected of this case; write 'expectedAgentBehavior'"
            return Grade.not_evaluated(case.unpaired or reason)
        given = (case.task.question if case.task else "") or case.turns[0].user
        texts = (told(case), behaviour, given, self.simulation_instructions)
        return self.asked(dict(zip(self.places, texts, strict=True)), services)


def told(case: Case) -> str:
    """Every turn as a line of JSON: what was said, called and answered."""
    return "\n".join(
        json.dumps(
            {
                "user": turn.user,
                "tool_calls": [
                    {"tool": call.name, "arguments": call.args, "returned": call.response}
                    for call in turn.tool_calls
                ],
                "agent": turn.response or "",
            },
            ensure_ascii=False,
            default=str,
        )
        for turn in case.turns
    )


def _tight(prompt: str) -> str:
    """Without spaces, so that a place is found however it is written."""
    return prompt.replace(" ", "")
