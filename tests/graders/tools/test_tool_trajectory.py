import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.tools import tool_trajectory
from agentevals.graders.tools.expected_tool_calls import ArgsComparison, Expected
from agentevals.graders.tools.tool_trajectory import ToolTrajectory
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn

EXACT = ArgsComparison.EXACT
NAMES = st.lists(st.sampled_from("abc"), max_size=6)


def calls(names):
    return [ToolCall(name=name) for name in names]


def expected(names):
    return [Expected(tool=name) for name in names]


@given(NAMES, NAMES)
def test_in_order_is_complete_for_a_subsequence_and_for_nothing_else(wanted, made):
    rest = iter(made)
    subsequence = all(name in rest for name in wanted)

    tally = tool_trajectory.match_in_order(expected(wanted), calls(made), EXACT)
    assert (tally.score == 1) is subsequence


@given(NAMES, NAMES)
def test_exact_is_complete_for_the_same_calls_and_for_nothing_else(wanted, made):
    tally = tool_trajectory.match_exactly(expected(wanted), calls(made), EXACT)

    assert (tally.score == 1) is (wanted == made)


@given(NAMES, NAMES)
def test_superset_counts_each_call_once(wanted, made):
    tally = tool_trajectory.match_superset(expected(wanted), calls(made), EXACT)

    found = sum(min(wanted.count(name), made.count(name)) for name in set(wanted))
    assert tally.score == (found / len(wanted) if wanted else 1)


@given(NAMES, NAMES)
def test_subset_is_complete_when_no_other_tool_was_called(wanted, made):
    tally = tool_trajectory.match_subset(expected(wanted), calls(made), EXACT)

    assert (tally.score == 1) is (set(made) <= set(wanted))


@given(
    NAMES,
    NAMES,
    st.sampled_from(
        [
            tool_trajectory.match_in_order,
            tool_trajectory.match_exactly,
            tool_trajectory.match_superset,
            tool_trajectory.match_subset,
        ]
    ),
)
def test_a_score_is_a_share(wanted, made, mode):
    tally = mode(expected(wanted), calls(made), EXACT)

    assert 0 <= tally.score <= 1


@pytest.mark.parametrize(
    ("took", "score", "said"),
    [
        (5, 1, "a completed in 5ms (max: 10ms)"),
        (10, 1, "a completed in 10ms (max: 10ms)"),
        (10.5, 0.5, "a took 10.5ms (max: 10ms)"),
    ],
)
def test_a_call_that_is_in_time_is_a_check_of_its_own(took, score, said):
    call = ToolCall(name="a", end_ns=int(took * 1_000_000), timed=True)
    tally = tool_trajectory.match_in_order([Expected(tool="a", max_duration_ms=10)], [call], EXACT)

    assert tally.score == score
    assert said in tally.hits + tally.misses


def test_a_call_that_was_not_timed_is_not_late():
    tally = tool_trajectory.match_exactly(
        [Expected(tool="a", max_duration_ms=10)], calls("a"), EXACT
    )

    assert (tally.score, tally.misses) == (1, [])


def test_a_call_that_was_not_made_was_not_in_time():
    wanted = [Expected(tool="a"), Expected(tool="b", max_duration_ms=10)]
    tally = tool_trajectory.match_in_order(wanted, calls("a"), EXACT)

    assert tally.score == pytest.approx(1 / 3)


def test_arguments_that_are_not_the_expected_ones_use_up_the_call():
    made = [ToolCall(name="a", args={"n": 1}), ToolCall(name="a", args={"n": 2})]
    tally = tool_trajectory.match_in_order([Expected(tool="a", args={"n": 2})] * 2, made, EXACT)

    assert tally.misses == ["Expected a at position 0: tool found at 0 but args mismatch"]
    assert tally.hits == ["Found a at position 1"]


def test_calls_too_many_are_misses():
    tally = tool_trajectory.match_exactly(expected("ab"), calls("abc"), EXACT)

    assert tally.score == pytest.approx(2 / 3)
    assert tally.misses == [
        "Expected 2 tool calls, got 3",
        "Position 2: expected nothing, got c",
    ]


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


def test_an_answer_that_is_unknown_does_not_mean_that_there_is_no_trace():
    unknown = Gap(fact=Fact.ANSWER, presence=Presence.UNKNOWN, evidence="", remedy="")
    grader = ToolTrajectory(name="t", mode="exact", expected=[])

    assert grader.grade(paired([turn(None, gaps=(unknown,))], None), Services()).score == 1


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
