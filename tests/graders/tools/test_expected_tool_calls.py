import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.javascript import is_same
from agentevals.graders.tools.expected_tool_calls import (
    Allowed,
    ArgsComparison,
    Calls,
    Expected,
    accepts_args,
)
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=1), inner),
    max_leaves=5,
)
ARGS = st.dictionaries(st.text(max_size=1), VALUES, max_size=3)
EXACT, IGNORE, SUBSET, SUPERSET = ArgsComparison


@pytest.mark.parametrize(
    ("expected", "actual", "how", "agrees"),
    [
        ({"a": 5}, {"a": 5.0}, EXACT, True),
        ({"a": 5}, {"a": "5"}, EXACT, False),
        ({"a": 1}, {"a": True}, EXACT, False),
        ({"a": None}, {}, EXACT, False),
        ({"a": 1}, {"a": 1, "b": 2}, EXACT, False),
        ({}, {}, EXACT, True),
        ({"a": 1}, None, EXACT, False),
        ({"a": 1}, None, IGNORE, True),
        (None, None, EXACT, True),
        (None, {"a": 1}, EXACT, True),
        ({"a": 1}, {"a": 1, "b": 2}, SUPERSET, True),
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, SUPERSET, False),
        ({"a": 1, "b": 2}, {"a": 1}, SUBSET, True),
        ({"a": 1}, {"a": 1, "b": 2}, SUBSET, False),
        ({"a": 1}, {}, SUBSET, True),
        ({"a": {"x": 1}, "b": 2}, {"a": {"x": 1}, "b": 3}, ("a.x",), True),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, ("a.x",), False),
        ({"a": 1}, {"a": 2}, ("other",), True),
        ({"a": 1}, {"a": 2, "b": 3}, ("b",), True),
        ({"l": [1, 2]}, {"l": [1, 3]}, ("l.0",), True),
        ({"l": [1, 2]}, {"l": [1]}, ("l.1",), False),
        ({"a": 1}, {"a": 2}, (), True),
    ],
)
def test_arguments(expected, actual, how, agrees):
    assert accepts_args(expected, actual, how) is agrees


@given(ARGS, ARGS)
def test_a_subset_seen_from_the_other_side_is_a_superset(one, other):
    assert accepts_args(one, other, SUBSET) == accepts_args(other, one, SUPERSET)


@given(ARGS, ARGS)
def test_equal_arguments_are_each_a_part_of_the_other(one, other):
    both = accepts_args(one, other, SUBSET) and accepts_args(one, other, SUPERSET)

    assert accepts_args(one, other, EXACT) == both


@pytest.mark.parametrize(
    ("actual", "expected", "there"),
    [
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, True),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({"a": [{"x": 1, "y": 2}]}, {"a": [{"x": 1}]}, True),
        ({"a": 1}, {"a": {"x": 1}}, False),
        ({}, {"a": None}, False),
    ],
)
def test_a_part_is_found_at_any_depth(actual, expected, there):
    assert is_same(actual, expected, extra=True) is there


KEYS = st.sampled_from(["a", "b", "a.b", "b.0"])
SCALARS = st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, False, None, "1", "", 2**60, 2**60 + 1])
CALL_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)
CALL_ARGS = st.none() | st.dictionaries(KEYS, CALL_VALUES, max_size=2)
PATHS = st.lists(st.sampled_from(["a", "b", "a.b", "b.0", "b.length", "c"]), max_size=2)
HOW = st.sampled_from(ArgsComparison) | PATHS.map(tuple)
TOOLS = st.sampled_from("xy")
MADE = st.lists(st.builds(ToolCall, name=TOOLS, args=CALL_ARGS), max_size=6)
WANTED = st.lists(
    st.builds(Expected, tool=TOOLS, args=CALL_ARGS | st.just("any"), args_match=st.none() | HOW),
    max_size=6,
)


def is_it(wanted, call, usual):
    """What is meant, without looking anything up."""
    args = None if wanted.args == "any" else wanted.args
    how = usual if wanted.args_match is None else wanted.args_match
    return call.name == wanted.tool and accepts_args(args, call.args, how)


@given(WANTED, MADE, HOW)
def test_each_takes_the_first_call_that_is_free_and_fits(wanted, made, how):
    free, places = dict(enumerate(made)), []
    for one in wanted:
        places.append(next((p for p, call in free.items() if is_it(one, call, how)), None))
        free.pop(places[-1], None)

    calls = Calls(made, how)
    assert [calls.take(one) for one in wanted] == places


@given(WANTED, MADE, HOW)
def test_a_call_is_allowed_where_one_of_the_expected_fits(wanted, made, how):
    allowed = Allowed(wanted, how)

    plainly = [any(is_it(one, call, how) for one in wanted) for call in made]
    assert [call in allowed for call in made] == plainly


def nested(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def test_arguments_may_be_nested_deeply():
    calls = Calls([ToolCall(name="x", args=nested(5000))], ArgsComparison.EXACT)

    assert calls.take(Expected.model_construct(tool="x", args=nested(5001))) is None
    assert calls.take(Expected.model_construct(tool="x", args=nested(5000))) == 0


@pytest.mark.parametrize("how", [ArgsComparison.EXACT, ArgsComparison.SUPERSET, ("n",)])
def test_many_calls_of_one_tool_are_no_matter(how):
    made = [ToolCall(name="x", args={"n": n}) for n in range(20_000)]
    wanted = [Expected(tool="x", args={"n": -n}) for n in range(1, 300)]
    calls, allowed = Calls(made, how, most=20_000), Allowed(wanted, how, most=20_000)

    assert {calls.take(one) for one in wanted} == {None}
    assert not any(call in allowed for call in made)


def test_what_would_take_too_long_is_not_compared():
    made = [ToolCall(name="x", args={"n": n}) for n in range(21)]
    calls = Calls(made, ArgsComparison.SUBSET, most=20)

    with pytest.raises(EvaluatorError, match="expect fewer calls of one tool"):
        calls.take(Expected(tool="x", args={}))
