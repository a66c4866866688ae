import pytest

from agentevals.graders.tools.sequences import skills
from agentevals.model.conversations import ToolCall


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
    assert list(skills.find_skills([ToolCall(name=name, args=args)])) == found


def test_a_call_that_failed_loads_no_skill():
    failed = ToolCall(name="Skill", args={"skill": "commit"}, failed=True)

    assert list(skills.find_skills([failed])) == []
