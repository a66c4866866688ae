"""Whatever an agent recorded as its calls, these evaluators say something about it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.graders import GRADERS
from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.model.cases import Status
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ARGS = (
    st.dictionaries(st.sampled_from(["skill", "path", "file_path", "command", "q", "x"]), JSON)
    | JSON  # a loader promises a mapping; an agent does not
)
CALLS = st.lists(
    st.builds(
        ToolCall,
        name=st.sampled_from(["Skill", "Read", "bash", "search"]) | st.text(),
        args=ARGS,
        timed=st.booleans(),
        start_ns=st.integers(0, 9),
        end_ns=st.integers(0, 9),
        failed=st.booleans(),
    ),
    max_size=4,
)
ANY = [{"tool": "search", "args": {"q": 1}, "max_duration_ms": 1}, {"tool": "bash"}]
ASKED = [
    ("skill_trigger", {"skill": "a"}),
    ("skill_used", {"value": ["a", "b"]}),
    ("trajectory_tool_used", {"value": {"pattern": "s*", "max": 2}}),
    ("trajectory_tool_sequence", {"value": ["search", "*"]}),
    ("trajectory_tool_args_match", {"value": {"name": "*", "args": {"q": 1}, "ignore": "x*"}}),
    ("trajectory_step_count", {"value": {"type": "command", "pattern": "a*", "max": 1}}),
    ("tool_trajectory", {"minimums": {"search": 1}, "expected": ANY}),
    *(
        ("tool_trajectory", {"mode": mode, "expected": ANY, "args_match": how})
        for mode in ("in_order", "exact", "superset", "subset")
        for how in ("exact", "superset", "subset", "ignore", ["q.0.x"])
    ),
]


@pytest.mark.parametrize(("kind", "asked"), ASKED)
@settings(max_examples=25)
@given(calls=CALLS)
def test_any_calls_have_a_score(kind, asked, calls):
    grader = GRADERS[kind](name="g", **asked)
    result = grade_case(grader, paired([turn(tool_calls=tuple(calls))], None), Services())

    assert result.error == ""
    assert 0 <= result.score <= 1
    assert result.status in {Status.PASSED, Status.FAILED}
