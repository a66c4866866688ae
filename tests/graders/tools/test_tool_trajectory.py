import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_trajectory import ToolTrajectory
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn


def graded(*calls, **settings):
    made = tuple(call if isinstance(call, ToolCall) else ToolCall(name=call) for call in calls)
    recorded = paired([turn(tool_calls=made)], None)
    return ToolTrajectory(name="t", **settings).grade(recorded, Services())


def test_without_an_order_minimums_and_expected_calls_count_beside_each_other():
    grade = graded("search", minimums={"search": 1, "analyze": 1}, expected=[{"tool": "respond"}])

    assert grade.score == pytest.approx(1 / 3)
    assert grade.hits == ("search: called 1 times (required >=1)",)
    assert grade.misses == (
        "analyze: called 0 times (required >=1)",
        "Expected respond not found in actual trajectory",
    )


@pytest.mark.parametrize(
    ("mode", "score"),
    [("any_order", 1), ("in_order", 0.5), ("exact", 0), ("superset", 1), ("subset", 1)],
)
def test_calls_in_another_order(mode, score):
    assert graded("b", "a", mode=mode, expected=[{"tool": "a"}, {"tool": "b"}]).score == score


@pytest.mark.parametrize(
    ("settings", "score"),
    [
        ({}, 0),
        ({"args_match": "superset"}, 1),
        ({"argsMatch": "superset"}, 1),
        ({"args_match": ["q"]}, 1),
        ({"args_match": ["limit"]}, 1),
        ({"args_match": "subset"}, 0),
        ({"args_match": "ignore"}, 1),
    ],
)
def test_how_arguments_are_compared(settings, score):
    call = ToolCall(name="s", args={"q": "x", "limit": 5})
    grade = graded(call, mode="in_order", expected=[{"tool": "s", "args": {"q": "x"}}], **settings)

    assert grade.score == score


def test_one_call_may_be_compared_in_another_way():
    call = ToolCall(name="s", args={"q": "x", "limit": 5})
    expected = [{"tool": "s", "args": {"q": "y"}, "argsMatch": "ignore", "maxDurationMs": 1}]

    assert graded(call, mode="exact", expected=expected).score == 1


@pytest.mark.parametrize("args", ["any", None])
def test_arguments_may_be_whatever_they_are(args):
    call = ToolCall(name="s", args=None)

    assert graded(call, mode="exact", expected=[{"tool": "s", "args": args}]).score == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mode": "in_order", "expected": []}, "No tool sequence specified"),
        ({"mode": "superset", "expected": []}, "No expected tools specified"),
        ({"minimums": {}}, "No tool requirements specified"),
    ],
)
def test_where_nothing_is_expected_everything_is_right(settings, said):
    grade = graded("a", **settings)

    assert (grade.score, grade.hits) == (1, (said,))


def test_a_call_where_none_is_expected_is_one_too_many():
    assert graded("a", mode="exact", expected=[]).score == 0
    assert graded("a", mode="subset", expected=[]).score == 0
    assert graded(mode="exact", expected=[]).score == 1


@pytest.mark.parametrize("mode", ["any_order", "in_order", "exact", "superset", "subset"])
@pytest.mark.parametrize("turns", [[], [turn(None)]])
def test_nothing_recorded_is_nothing_right(mode, turns):
    grader = ToolTrajectory(name="t", mode=mode, minimums={}, expected=[])
    grade = grader.grade(paired(turns, None), Services())

    assert (grade.score, grade.misses) == (0, ("No trace available for evaluation",))


def test_calls_of_all_turns_are_one_sequence():
    turns = [turn(tool_calls=(ToolCall(name=name),)) for name in "ab"]
    grader = ToolTrajectory(name="t", mode="exact", expected=[{"tool": "a"}, {"tool": "b"}])

    assert grader.grade(paired(turns, None), Services()).score == 1


def test_settings_that_a_mode_does_not_look_at_are_named():
    limited = [{"tool": "a", "max_duration_ms": 1}]
    grade = graded("a", mode="superset", minimums={"a": 2}, expected=limited)

    assert grade.score == 1
    assert grade.details == {"without_effect": ["max_duration_ms", "minimums"]}


def test_the_mode_superset_does_not_look_at_the_clock():
    late = ToolCall(name="a", end_ns=5_000_000_000, timed=True)
    expected = [{"tool": "a", "max_duration_ms": 1}]

    assert graded(late, mode="superset", expected=expected).score == 1
    assert graded(late, mode="any_order", expected=expected).score == 0.5


@pytest.mark.parametrize(
    ("settings", "mistake"),
    [
        ({}, "mode 'any_order' needs 'minimums' or 'expected'"),
        ({"mode": "exact", "minimums": {"a": 1}}, "mode 'exact' needs 'expected'"),
        ({"mode": "fuzzy", "expected": []}, "'any_order'"),
        ({"minimums": {"a": -1}}, "greater than or equal to 0"),
        ({"minimums": {"a": "1"}}, "valid number"),
        ({"expected": [{"tool": ""}]}, "at least 1 character"),
        ({"expected": [{"tool": "a", "args": 5}]}, "valid dictionary"),
        ({"expected": [{"tool": "a", "arg": {}}]}, "Extra inputs"),
        ({"expected": [], "args_match": "fuzzy"}, "'exact', 'ignore'"),
    ],
)
def test_a_mistake_is_found_when_the_config_is_read(settings, mistake):
    with pytest.raises(ValidationError, match=mistake):
        ToolTrajectory(name="t", **settings)


@pytest.mark.parametrize(("mode", "score"), [("in_order", None), ("exact", None), ("subset", 1.0)])
def test_an_order_that_was_not_recorded_is_not_judged(mode, score):
    counted = turn(tool_calls=(ToolCall(name="a"), ToolCall(name="b")), unordered=True)
    grader = ToolTrajectory(name="t", mode=mode, expected=[{"tool": "a"}, {"tool": "b"}])

    assert grader.grade(paired([counted], None), Services()).score == score
