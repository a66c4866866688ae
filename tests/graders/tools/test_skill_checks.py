import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.tools import skill_checks
from agentevals.graders.tools.skill_checks import SkillTrigger, SkillUsed
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn


@pytest.mark.parametrize(
    ("name", "args", "found"),
    [
        ("Skill", {"skill": "commit"}, ["commit"]),
        ("skill", {"name": " commit "}, ["commit"]),
        ("Skill", {}, []),
        ("Skill", None, []),
        ("Skill", {"skill": 5}, ["5"]),
        ("Read", {"file_path": "/x/.claude/skills/commit/SKILL.md"}, ["commit"]),
        ("view", {"path": "skills\\commit\\SKILL.md"}, ["commit"]),
        ("Read", {"file_path": "/x/myskills/commit/SKILL.md"}, []),
        ("Read", {"file_path": "/x/skills/commit/notes.md"}, []),
        ("Write", {"file_path": "/x/skills/commit/SKILL.md"}, []),
        ("shell", {"command": ["cat", "skills/a/SKILL.md", "skills/b/SKILL.md"]}, ["a", "b"]),
    ],
)
def test_a_skill_is_called_or_its_file_is_read(name, args, found):
    assert list(skill_checks.find_skills([ToolCall(name=name, args=args)])) == found


def test_a_call_that_failed_loads_no_skill():
    failed = ToolCall(name="Skill", args={"skill": "commit"}, failed=True)

    assert list(skill_checks.find_skills([failed])) == []


LOADED = ToolCall(name="Skill", args={"skill": "acme:commit"})
READ = ToolCall(name="Read", args={"file_path": "/x/skills/commit/SKILL.md"})
OTHER = ToolCall(name="Bash", args={"command": "ls"})


def graded(*calls, **settings):
    case = paired([turn(tool_calls=calls)], None)
    return SkillTrigger(name="s", skill="commit", **settings).grade(case, Services())


@pytest.mark.parametrize(
    ("calls", "score", "said", "reasoning"),
    [
        (
            [LOADED, OTHER],
            1,
            'Skill tool invoked with skill="acme:commit"',
            "Skill triggered correctly",
        ),
        (
            [READ],
            1,
            "Read tool loaded skill file: /x/skills/commit/SKILL.md",
            "Skill triggered correctly",
        ),
        (
            [OTHER, LOADED],
            0,
            'First tool was "Bash" — not Skill/Read for "commit"',
            'Skill "commit" was not triggered',
        ),
        (
            [ToolCall(name="read", args=READ.args)],
            0,
            'First tool was "read" — not Skill/Read for "commit"',
            'Skill "commit" was not triggered',
        ),
        ([], 0, "No tool calls recorded", 'Skill "commit" was not triggered'),
    ],
)
def test_the_first_call_decides(calls, score, said, reasoning):
    grade = graded(*calls)

    assert (grade.score, grade.hits + grade.misses) == (score, (said,))
    assert grade.reasoning == reasoning


@pytest.mark.parametrize(
    ("calls", "score", "said"),
    [
        ([], 1, 'Skill "commit" correctly did not trigger'),
        ([OTHER, LOADED], 1, 'Skill "commit" correctly did not trigger'),
        ([LOADED], 0, 'Skill tool invoked with skill="acme:commit"'),
    ],
)
def test_a_skill_may_be_unwanted(calls, score, said):
    grade = graded(*calls, should_trigger=False)

    assert (grade.score, grade.hits + grade.misses) == (score, (said,))


@pytest.mark.parametrize("args", [None, {}, {"skill": None}, {"skill": "Commit"}, {"skill": []}])
def test_arguments_that_name_another_skill_or_none(args):
    assert graded(ToolCall(name="Skill", args=args)).score == 0


def test_it_is_named_after_the_skill():
    assert SkillTrigger.usual_name({"skill": "commit"}) == "skill-trigger-commit"


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
