import math

import msgspec
import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_trajectory_avg_score import ToolTrajectory
from agentevals.model.cases import Status
from agentevals.model.conversations import ToolCall, Turn
from tests.support import paired

A, B, C = ToolCall(name="a"), ToolCall(name="b"), ToolCall(name="c")


def turn(*calls, turn_id=""):
    return Turn(turn_id=turn_id, tool_calls=calls)


def call(name="a", **args):
    return ToolCall(name=name, args=args)


def grade(actual, expected, **settings):
    grader = ToolTrajectory(name="tools", **settings)
    return grader.grade(paired(actual, expected), Services())


def score(actual, expected, **settings):
    return grade([turn(*actual)], [turn(*expected)], **settings).score


@pytest.mark.parametrize(
    ("actual", "expected", "exact", "in_order", "any_order"),
    [
        ([A, B], [A, B], 1, 1, 1),
        ([B, A], [A, B], 0, 0, 1),
        ([C, A, B], [A, B], 0, 1, 1),
        ([A, C, B], [A, B], 0, 1, 1),
        ([A, B, C], [A, B], 0, 1, 1),
        ([A], [A, B], 0, 0, 0),
        ([A], [A, A], 0, 0, 0),
        ([A, A], [A], 0, 1, 1),
        ([A, B, A], [A, A], 0, 1, 1),
        ([], [], 1, 1, 1),
        ([A], [], 0, 1, 1),
        ([], [A], 0, 0, 0),
    ],
)
def test_how_the_order_counts(actual, expected, exact, in_order, any_order):
    assert score(actual, expected) == exact
    assert score(actual, expected, trajectory_match_type="EXACT") == exact
    assert score(actual, expected, trajectory_match_type="In_Order") == in_order
    assert score(actual, expected, trajectory_match_type="any_order") == any_order


@pytest.mark.parametrize(("number", "expected"), [(0, 0), (1, 1), (2, 1)])
def test_adk_numbers_the_match_types(number, expected):
    assert score([C, A], [A], trajectory_match_type=number) == expected


@pytest.mark.parametrize("wrong", ["superset", 3, True, None])
def test_an_unknown_match_type_is_refused(wrong):
    with pytest.raises(ValidationError, match="EXACT"):
        ToolTrajectory(name="tools", trajectory_match_type=wrong)


@pytest.mark.parametrize(
    ("actual", "expected", "equal", "part"),
    [
        ({"x": 1, "y": 2}, {"y": 2, "x": 1}, 1, 1),
        ({"n": 1}, {"n": 1.0}, 1, 1),
        ({"n": True}, {"n": 1}, 1, 1),
        ({"n": "1"}, {"n": 1}, 0, 0),
        ({"n": math.nan}, {"n": float("nan")}, 1, 1),
        ({"x": None}, {}, 0, 1),
        ({"x": None}, {"x": None}, 1, 1),
        ({}, {"x": None}, 0, 0),
        ({"l": [1, 2]}, {"l": [2, 1]}, 0, 0),
        ({"l": [1, 2]}, {"l": [1]}, 0, 0),
        ({"o": {"k": [1, {"z": 2}]}}, {"o": {"k": [1, {"z": 2}]}}, 1, 1),
        ({"o": {"k": [1, {"z": 2, "w": 3}], "v": 4}}, {"o": {"k": [1, {"z": 2}]}}, 0, 1),
        ({"o": {"k": 1}}, {"o": {"k": 2}}, 0, 0),
        ({"o": {}}, {"o": []}, 0, 0),
        ({"x": "Paris"}, {"x": "paris"}, 0, 0),
        ({"x": "cafe\u0301"}, {"x": "caf\u00e9"}, 0, 0),
        (None, {}, 0, 0),
        ({}, None, 0, 1),
        ({"x": 1}, None, 0, 1),
        (None, None, 1, 1),
    ],
)
def test_how_arguments_are_compared(actual, expected, equal, part):
    found, wanted = [ToolCall(name="a", args=actual)], [ToolCall(name="a", args=expected)]

    assert score(found, wanted) == equal
    assert score(found, wanted, args_match="subset") == part
    assert score(found, wanted, args_match="ignore") == 1
    assert score(found, wanted, ignore_args=True) == 1


def test_ids_and_responses_do_not_count():
    found = ToolCall(name="a", call_id="1", response="x", answered=True)

    assert score([found], [ToolCall(name="a", call_id="2")]) == 1


def test_another_tool_never_matches():
    assert score([A], [B], ignore_args=True) == 0


@pytest.mark.parametrize("match_type", ["IN_ORDER", "ANY_ORDER"])
def test_a_call_counts_for_one_expectation_only(match_type):
    settings = {"trajectory_match_type": match_type, "args_match": "subset"}

    assert score([call(x=1)], [call(), call(x=1)], **settings) == 0


def test_in_any_order_a_loose_expectation_leaves_the_fitting_call_to_a_strict_one():
    actual = [call(x=1, y=1), call(x=1), call(z=1)]
    expected = [call(), call(x=1), call(x=1, y=1)]

    assert score(actual, expected, trajectory_match_type="ANY_ORDER", args_match="subset") == 1


def test_deeply_nested_arguments_are_compared_and_can_be_reported():
    def nested(core):
        for _ in range(5_000):
            core = [core]
        return call(x=core)

    assert score([nested(1)], [nested(1)]) == 1
    different = grade([turn(nested(1))], [turn(nested(2))])
    assert different.score == 0
    assert b"nested too deeply to be shown" in msgspec.json.encode(different)


def test_the_score_is_the_mean_over_the_turns():
    result = grade([turn(A), turn(B)], [turn(A), turn(C)])

    assert result.score == 0.5
    assert result.per_turn == (1.0, 0.0)
    assert result.status is None


def test_arguments_of_null_are_those_that_nobody_states_and_are_not_empty():
    null, empty = turn(ToolCall(name="a", args=None)), turn(ToolCall(name="a", args={}))

    assert grade([null], [null]).score == 1
    assert grade([null], [empty]).score == grade([empty], [null]).score == 0


def test_counted_calls_have_no_order_to_be_judged():
    counted = Turn(tool_calls=(call(q="x"),), unordered=True)

    assert grade([counted], [counted]).status is Status.NOT_EVALUATED
    assert grade([counted], [counted], trajectory_match_type="ANY_ORDER").score == 1


def test_the_details_show_both_sides_of_each_turn():
    result = grade(
        [turn(call(q="x"), turn_id="t1"), turn(turn_id="t2")],
        [turn(call(q="x")), turn(ToolCall(name="ping", args=None))],
    )

    same = {"name": "a", "args": {"q": "x"}}
    assert result.details == {
        "comparisons": [
            {"invocation_id": "t1", "expected": [same], "actual": [same], "matched": True},
            {
                "invocation_id": "t2",
                "expected": [{"name": "ping", "args": None}],
                "actual": [],
                "matched": False,
            },
        ]
    }


@pytest.mark.parametrize(
    ("actual", "expected", "missing", "unexpected"), [(1, 3, 2, 0), (3, 1, 0, 2)]
)
def test_turns_that_one_side_lacks_are_said_and_the_others_scored(
    actual, expected, missing, unexpected
):
    result = grade([turn(A)] * actual, [turn(A)] * expected)

    assert result.score == 1
    assert len(result.per_turn) == 1
    assert result.details["missing_turns"] == missing
    assert result.details["unexpected_turns"] == unexpected


@pytest.mark.parametrize(
    ("actual", "expected", "match_type", "sentence"),
    [
        ([call(q=1)], [call(q=2)], "EXACT", "a: q was 1, expected 2"),
        ([], [A], "IN_ORDER", "not called: a()"),
        ([B], [A, C], "ANY_ORDER", "not called: a(); not called: c()"),
        ([B], [A, C], "EXACT", "not called: a(); not called: c(); not expected: b()"),
        ([A], [], "EXACT", "not expected: a()"),
        ([A, A, A], [A], "EXACT", "not expected: a() (2 times)"),
        ([B, A], [A, B], "IN_ORDER", "called in another place: b()"),
        ([B, call(q=1)], [call(q=2), B], "EXACT", "a: q was 1, expected 2, in another place"),
        ([B, call(q=1)], [call(q=2), B], "ANY_ORDER", "a: q was 1, expected 2"),
    ],
)
def test_a_miss_says_only_what_counts_and_differs(actual, expected, match_type, sentence):
    result = grade([turn(*actual)], [turn(*expected)], trajectory_match_type=match_type)

    assert result.misses == (f"turn 1: {sentence}",)


def test_a_miss_tells_arguments_that_are_not_stated_from_no_arguments():
    (miss,) = grade([turn(A)], [turn(ToolCall(name="a", args=None))]).misses

    assert "a: no arguments: {}, expected arguments not stated" in miss
    assert miss.endswith("no 'args' is not the same as 'args: {}'")


def test_a_miss_spells_out_arguments_that_only_look_equal():
    (miss,) = grade([turn(call(x="cafe\u0301"))], [turn(call(x="caf\u00e9"))]).misses

    assert miss == r'turn 1: a: x was "cafe\u0301", expected "caf\u00e9"'


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"args_match": "subset"}, "a: x was 3, expected 1 (1 argument the same)"),
        ({"args_match": "ignore"}, "not called: b()"),
    ],
)
def test_a_miss_tells_no_argument_that_does_not_count(settings, sentence):
    actual, expected = call(x=3, y=1, z=[]), call(x=1, y=1)
    (miss,) = grade([turn(actual)], [turn(expected, B)], **settings).misses

    assert sentence in miss
    assert "z" not in miss


def test_a_miss_stays_readable():
    (miss,) = grade([turn(*[call(x="y" * 10_000)] * 1_000)], [turn(A)]).misses

    assert miss == (
        f'turn 1: a: x was "{"y" * 49}…, expected absent; '
        f'not expected: a(x: "{"y" * 14}…) (99 times); and 900 calls beyond these'
    )


def test_without_turns_there_is_nothing_to_judge():
    for actual, expected in (([], []), ([turn(A)], None)):
        assert grade(actual, expected).status is Status.NOT_EVALUATED


def test_contradicting_settings_are_refused():
    with pytest.raises(ValidationError, match="'ignore_args: true' contradicts"):
        ToolTrajectory(name="tools", ignore_args=True, args_match="subset")


def test_a_miss_late_in_a_long_turn_begins_where_the_calls_differ():
    calls = [call(x=number) for number in range(50)]
    (miss,) = grade([turn(*calls, call(x="a"))], [turn(*calls, call(x="b"))]).misses

    assert miss == 'turn 1: after 47 equal calls: a: x was "a", expected "b"'


def test_a_call_of_another_agent_than_the_turns_counts_and_is_marked():
    made = Turn(agent="bakery", tool_calls=(call("a", x=1), ToolCall(name="b", agent="returns")))

    graded = grade([made], [turn(call("a", x=1), B)])
    assert graded.score == 1
    assert graded.details["comparisons"][0]["actual"] == [
        {"name": "a", "args": {"x": 1}},
        {"name": "b", "args": {}, "agent": "returns"},
    ]
    assert grade([made], [turn(call("a", x=1))]).misses == ("turn 1: not expected: b() by returns",)
