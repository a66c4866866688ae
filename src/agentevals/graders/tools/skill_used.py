"""`skill_used`: the agent loaded certain skills, at any time."""

from typing import Self

from pydantic import Field, model_validator

from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.tools.sequences import skills
from agentevals.graders.tools.sequences.matching import AllUsed, Used, are_all_used, fits_pattern
from agentevals.graders.tools.sequences.steps import list_calls
from agentevals.model.cases import Case, Grade


class SkillUsed(Assertion):
    """1 where every skill was loaded as often as it should be; negated, where none was."""

    type = "skill_used"

    value: AllUsed = Field(
        description="A name, a list of names, or `{name | pattern, min, max}`; names are taken "
        "letter by letter, patterns with `*` and `?` in any case"
    )

    @model_validator(mode="after")
    def _is_forbidden_altogether(self) -> Self:
        if self.negate and any(one.min is not None or one.max for one in self.value):
            msg = "'min' and 'max' have no meaning where a skill is forbidden; remove them"
            raise ValueError(msg)
        return self

    def grade(self, case: Case, services: Services) -> Grade:
        found = list(skills.find_skills(list_calls(case)))
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
