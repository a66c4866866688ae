"""UiPath's evaluators that ask a language model: here they ask the judge of the run."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from pydantic import AliasChoices, Field

from agentevals.graders.grader import NO_TURN, Services
from agentevals.graders.llm.questions import JudgedGrader, Panel
from agentevals.graders.llm.questions.judge_prompts import (
    NOT_RECORDED,
    TEXT,
    build_object,
    fill,
    mark_unknown,
    mark_untrusted,
    write_question,
)
from agentevals.graders.uipath.uipath_grader import OfExpectedOutput, UiPathEvaluator
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Turn
from agentevals.traces.attribute_values import prose

_SCHEMA = build_object(justification=TEXT, score={"type": "number", "minimum": 0, "maximum": 100})
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
        default=None, min_length=1, description="The question, instead of the default question"
    )

    def ask_judge(self, shown: Mapping[str, str], services: Services) -> Grade:
        """The judge's score for what it is shown, by the name of its place."""
        panel = Panel(self.build_panel(services).judge, self.num_samples or 1)
        prompt = write_question(self._fill_prompt(shown), asked=_ASKED)
        answers = panel.ask(prompt, _SCHEMA)
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

    def _fill_prompt(self, shown: Mapping[str, str]) -> str:
        material = {name: mark_untrusted(name.upper(), text) for name, text in shown.items()}
        prompt = self.prompt or self.usual
        missing = [
            n for n in self.places[: self.needed] if f"{{{{{n}}}}}" not in _remove_spaces(prompt)
        ]
        whole = "\n".join([prompt, *(f"{{{{{name}}}}}" for name in missing)])
        return fill(whole, lambda name: material.get(name, f"{{{{{name}}}}}"))


class OutputJudge(OfExpectedOutput, UiPathJudge):
    """Compares the output with the expected one, by a model."""

    places = ("ActualOutput", "ExpectedOutput")

    def grade_run(self, case: Case, services: Services) -> Grade:
        return self.grade_sides(case, partial(self._compare, services))

    def _compare(self, services: Services, expected: Any, actual: Any) -> Grade:
        texts = (prose(actual), prose(expected))
        return self.ask_judge(dict(zip(self.places, texts, strict=True)), services)


class TrajectoryJudge(UiPathJudge):
    """Judges all that the agent did, by a model."""

    judges_by = frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})

    places = (
        "AgentRunHistory",
        "ExpectedAgentBehavior",
        "UserOrSyntheticInput",
        "SimulationInstructions",
    )
    of_the_case: ClassVar[tuple[str, ...]] = ("expected_agent_behavior", "simulation_instructions")

    expected_agent_behavior: str = Field(
        default="", description="The expected behaviour; by default the criteria of the case"
    )
    simulation_instructions: str = Field(
        default="", description="The simulated answers of tools or of the user"
    )

    def grade_run(self, case: Case, services: Services) -> Grade:
        behaviour = self.expected_agent_behavior or case.criteria
        if not case.turns:
            return Grade.not_evaluated(NO_TURN)
        if not behaviour:
            reason = "no behaviour is expected of this case; write 'expectedAgentBehavior'"
            return Grade.not_evaluated(case.unpaired or reason)
        asked = mark_unknown(case.turns[0], Fact.QUESTION, case.turns[0].user)
        given = (case.task.question if case.task else "") or asked
        texts = (describe_turns(case), behaviour, given, self.simulation_instructions)
        return self.ask_judge(dict(zip(self.places, texts, strict=True)), services)


def describe_turns(case: Case) -> str:
    """Every turn as a line of JSON: what was said, called and answered."""
    return "\n".join(
        json.dumps(
            {
                "user": mark_unknown(turn, Fact.QUESTION, turn.user),
                "tool_calls": [_describe_call(call, turn) for call in turn.tool_calls],
                "agent": mark_unknown(turn, Fact.ANSWER, turn.response),
            },
            ensure_ascii=False,
            default=str,
        )
        for turn in case.turns
    )


def _describe_call(call: ToolCall, turn: Turn) -> dict[str, Any]:
    unknown = call.response is None and turn.find_gap(Fact.TOOL_ANSWERS)
    returned = NOT_RECORDED if unknown else call.response
    return {"tool": call.name, "arguments": call.args, "returned": returned}


def _remove_spaces(prompt: str) -> str:
    """Without spaces, so that a place is found however it is written."""
    return prompt.replace(" ", "")


class SemanticSimilarity(OutputJudge):
    """The judge's score for both outputs saying the same, in whatever words."""

    type = "uipath_llm_judge_output_semantic_similarity"
    usual = """\
An agent put something out, and another output is known to be right. Judge how far both mean the
same. Wording, order and form do not matter; what is missing, added or contradicted does.

The agent's output:
{{ActualOutput}}
The output that is right:
{{ExpectedOutput}}
"""


class StrictJsonSimilarity(OutputJudge):
    """The judge's score for the output being the same, key by key."""

    type = "uipath_llm_judge_output_strict_json_similarity"
    usual = """\
An agent put out JSON, and other JSON is known to be right. Go through the keys of what is right,
each of which has the same share in the score. A key counts in full if it is there with a value
that means the same, and not at all if it is missing, has another name or another value. Keys that
are not expected, and other kinds of values, take something off.

The agent's output:
{{ActualOutput}}
The output that is right:
{{ExpectedOutput}}
"""


class TrajectorySimilarity(TrajectoryJudge):
    """The judge's score for the course of the run being the expected one."""

    type = "uipath_llm_judge_trajectory_similarity"
    usual = """\
An agent was given an input and worked on it. Judge how far what it did is what was expected of it:
whether it took the steps that are named, with the right tools and values, in an order that makes
sense, and came to the result that is expected.

What it was given:
{{UserOrSyntheticInput}}
What is expected of it:
{{ExpectedAgentBehavior}}
What it did:
{{AgentRunHistory}}
"""


class TrajectorySimulation(TrajectoryJudge):
    """The judge's score for the course of the run, if tools or the user were played."""

    type = "uipath_llm_judge_trajectory_simulation"
    needed: ClassVar[int] = 4
    usual = """\
An agent was given an input and worked on it, while tools or the user were played to it. Judge how
far what it did is what was expected of it, given how it was played. Do not hold against the agent
what was played badly.

What it was given:
{{UserOrSyntheticInput}}
How it was to be played:
{{SimulationInstructions}}
What is expected of the agent:
{{ExpectedAgentBehavior}}
What it did:
{{AgentRunHistory}}
"""
