import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services, grade_case
from agentevals.graders.tools.skill_used import SkillUsed
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn


def result(value, *names, **settings):
    calls = tuple(ToolCall(name="Skill", args={"skill": name}) for name in names)
    case = paired([turn(tool_calls=(ToolCall(name="Bash"), *calls))], None)
    return grade_case(SkillUsed(name="s", value=value, **settings), case, Services())


@pytest.mark.parametrize(
    ("value", "names", "score"),
    [
        ("commit", ["commit"], 1),
        ("commit", ["acme:commit"], 1),
        ("commit", ["Commit"], 0),
        ("com*", ["commit"], 0),
        ({"pattern": "COM*"}, ["commit"], 1),
        (["a", "b"], ["b", "a"], 1),
        (["a", "b"], ["a"], 0),
        ({"name": "a", "min": 2}, ["a"], 0),
        ({"name": "a", "max": 0}, ["b"], 1),
    ],
)
def test_skills_are_loaded_at_any_time(value, names, score):
    assert result(value, *names).score == score


@pytest.mark.parametrize(("names", "score"), [([], 1), (["a"], 0), (["c"], 1)])
def test_forbidden_skills_are_each_forbidden(names, score):
    assert result(["a", "b"], *names, negate=True).score == score


def test_what_was_loaded_is_said():
    said = ("a: used 0 times (required >=1). Skills used: b, c",)

    assert result("a", "b", "c").misses == said
    assert result("a", negate=True).hits == ("a: used 0 times (forbidden >=1). Skills used: none",)


def test_a_forbidden_skill_has_no_limits():
    with pytest.raises(ValidationError, match="have no meaning where a skill is forbidden"):
        SkillUsed(name="s", value={"name": "a", "min": 2}, negate=True)
