import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.tools.sequences.arguments import ArgsComparison, accepts_args, contains_args

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
    assert contains_args(actual, expected) is there
