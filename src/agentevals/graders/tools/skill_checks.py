"""AgentV's evaluators of skills: `skill_trigger` and `skill_used`."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from pydantic import AliasChoices, Field, model_validator

from agentevals.graders import javascript
from agentevals.graders.agentv.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.judged_messages import list_tool_calls
from agentevals.graders.tools.tool_steps import (
    AllUsed,
    Used,
    are_all_used,
    fits_pattern,
    list_calls,
    read_argument,
    read_command,
)
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall

_FILE = re.compile(r"""(?:^|[/\\\s"'])skills[/\\]([^/\\\s"']+)[/\\]SKILL\.md""", re.IGNORECASE)
_READERS = frozenset({"open_file", "read", "read_file", "readfile", "view", "view_file"})
_PATHS = ("file_path", "path", "filePath")
_NAMES = ("skill", "name")


def find_skills(calls: Iterable[ToolCall]) -> Iterator[str]:
    """The name of a skill for every time one was loaded. A call that failed loaded none."""
    for call in calls:
        if not call.failed:
            yield from _read_skills(call)


def _read_skills(call: ToolCall) -> Iterator[str]:
    tool = call.name.lower()
    if tool == "skill":
        if name := javascript.trim(read_argument(call, *_NAMES)):
            yield name
    elif tool in _READERS:
        yield from _FILE.findall(read_argument(call, *_PATHS))
    else:
        yield from _FILE.findall(read_command(call))


class SkillTrigger(Assertion):
    """1 if the first tool call loads the skill, or does not where it should not."""

    type = "skill_trigger"
    judges_by = frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})

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
        seen = f'First tool was "{first.name}" — not Skill/Read for "{self.skill}"' if first else ""
        missing = f'Skill "{self.skill}" was not triggered'
        return grade_binary(
            met=bool(evidence),
            hit=evidence,
            miss=seen or "No tool calls recorded",
            reasoning="Skill triggered correctly" if evidence else missing,
        )

    def _grade_unwanted(self, evidence: str) -> Grade:
        fired = "False trigger: skill fired when it should not have"
        return grade_binary(
            met=not evidence,
            hit=f'Skill "{self.skill}" correctly did not trigger',
            miss=evidence,
            reasoning=fired if evidence else "No false trigger",
        )

    def _find_evidence(self, call: ToolCall) -> str:
        if call.name == "Skill" and self.skill in (name := read_argument(call, "skill")):
            return f'Skill tool invoked with skill="{name}"'
        if call.name == "Read" and self.skill in (path := read_argument(call, "file_path")):
            return f"Read tool loaded skill file: {path}"
        return ""


class SkillUsed(Assertion):
    """1 if every skill was loaded as often as it should be; negated, where none was."""

    type = "skill_used"
    judges_by = frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})

    value: AllUsed = Field(
        description="A name, a list of names, or `{name | pattern, min, max}`; names are taken "
        "letter by letter, patterns with `*` and `?` in any case"
    )

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.negate and any(one.min is not None or one.max for one in self.value):
            msg = "'min' and 'max' have no meaning where a skill is forbidden; remove them"
            raise ValueError(msg)
        return self

    def grade(self, case: Case, services: Services) -> Grade:
        found = list(find_skills(list_calls(case)))
        counts = [sum(_is_skill(one, name) for name in found) for one in self.value]
        met = any(counts) if self.negate else are_all_used(self.value, counts, forbidden=False)
        said = "; ".join(
            one.describe(times, forbidden=self.negate)
            for one, times in zip(self.value, counts, strict=True)
        )
        seen = f"Skills used: {', '.join(found) or 'none'}"
        return grade_binary(met=met, hit=f"{said}. {seen}", miss=f"{said}. {seen}")


def _is_skill(wanted: Used, skill: str) -> bool:
    """A skill of a plugin is known by its own name as well: `commit` is `acme:commit`."""
    named = wanted.name is None or wanted.name in {skill, skill.rpartition(":")[2]}
    return named and (wanted.pattern is None or fits_pattern(wanted.pattern, skill))
