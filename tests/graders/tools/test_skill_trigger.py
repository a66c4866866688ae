import pytest

from agentevals.graders.grader import Services
from agentevals.graders.tools.skill_trigger import SkillTrigger
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn

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
