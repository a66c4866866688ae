"""`skill_trigger`: the first thing that the agent did was to load a skill, or was not."""

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices, Field

from agentevals.graders.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.messages import list_tool_calls
from agentevals.graders.tools.sequences.steps import read_argument
from agentevals.model.cases import Case, Grade
from agentevals.model.conversations import ToolCall


class SkillTrigger(Assertion):
    """1 where the first tool call loads the skill, or does not where it should not."""

    type = "skill_trigger"

    skill: str = Field(
        min_length=1, description="The name of the skill, or a part of it, letter by letter"
    )
    should_trigger: bool = Field(
        default=True,
        validation_alias=AliasChoices("should_trigger", "shouldTrigger"),
        description="Whether it should be loaded",
    )

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:
        return f"skill-trigger-{settings.get('skill')}"

    def grade(self, case: Case, services: Services) -> Grade:
        first = next(list_tool_calls(case.turns), None)
        evidence = self._find_evidence(first) if first else ""
        if not self.should_trigger:
            return self._grade_unwanted(evidence)
        if evidence:
            return _build_grade(True, evidence, "Skill triggered correctly")
        seen = f'First tool was "{first.name}" — not Skill/Read for "{self.skill}"' if first else ""
        said = f'Skill "{self.skill}" was not triggered'
        return _build_grade(False, seen or "No tool calls recorded", said)

    def _grade_unwanted(self, evidence: str) -> Grade:
        if evidence:
            return _build_grade(
                False, evidence, "False trigger: skill fired when it should not have"
            )
        return _build_grade(
            True, f'Skill "{self.skill}" correctly did not trigger', "No false trigger"
        )

    def _find_evidence(self, call: ToolCall) -> str:
        if call.name == "Skill" and self.skill in (name := read_argument(call, "skill")):
            return f'Skill tool invoked with skill="{name}"'
        if call.name == "Read" and self.skill in (path := read_argument(call, "file_path")):
            return f"Read tool loaded skill file: {path}"
        return ""


def _build_grade(met: bool, said: str, reasoning: str) -> Grade:
    return Grade(
        score=float(met),
        hits=(said,) if met else (),
        misses=() if met else (said,),
        reasoning=reasoning,
    )
