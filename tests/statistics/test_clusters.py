import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.statistics.clusters import by_case


def test_repeats_of_a_case_are_one_value():
    pairs = [("b", 1), ("a", 0.5), ("b", 0), ("b", 0.5), ("c", True)]

    assert by_case(pairs) == {"b": 0.5, "a": 0.5, "c": 1.0}


def test_cases_stay_in_the_order_in_which_they_came():
    assert list(by_case([("b", 1), ("a", 1), ("b", 0)])) == ["b", "a"]


def test_no_repeats_are_no_cases():
    assert by_case([]) == {}


@given(st.lists(st.floats(-1, 1), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_repeats_leaves_no_difference(values, random):
    shuffled = random.sample(values, k=len(values))

    assert by_case(("a", value) for value in shuffled) == by_case(("a", value) for value in values)


@given(st.floats(-1e308, 1e308), st.integers(1, 9))
def test_equal_repeats_are_their_value(value, repeats):
    assert by_case([("a", value)] * repeats) == {"a": pytest.approx(value)}
