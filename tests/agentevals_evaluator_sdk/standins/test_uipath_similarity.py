import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals_evaluator_sdk.standins.uipath.standin_similarity import (
    TooLongError,
    compare,
    count_edits,
)


@pytest.mark.parametrize(
    ("expected", "actual", "leaves"),
    [
        ({"a": 10.0}, {"a": 8.0}, (0.8, 1.0)),
        ({"a": 0.0}, {"a": 1e-13}, (1.0, 1.0)),
        ({"a": 0.0}, {"a": 1e-11}, (0.0, 1.0)),
        ({"a": 1e-308}, {"a": 1e308}, (0.0, 1.0)),
        ({"a": True}, {"a": 1.0}, (0.0, 1.0)),
        ({"a": None}, {"a": "None"}, (0.0, 1.0)),
        ({"a": {"b": 1.0, "c": [1.0, 2.0]}}, {"a": "x"}, (0.0, 3.0)),
        ({"l": ["x", "y"]}, {"l": ["x"]}, (1.0, 2.0)),
        ({"a": 1.0}, {"a": 1.0, "more": 2.0}, (1.0, 1.0)),
        ({}, {"a": 1.0}, (0.0, 0.0)),
        (float("nan"), 1.0, (0.0, 1.0)),
    ],
)
def test_leaves_that_are_expected_are_matched(expected, actual, leaves):
    assert compare(expected, actual) == pytest.approx(leaves)


def test_nothing_expected_is_all_there():
    assert compare({}, {"a": 1}).share == 1


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_edits_are_those_of_the_classic_table(one, other):
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        above, row[0] = row[0], at
        for place, wanted in enumerate(other, start=1):
            above, row[place] = (
                row[place],
                min(above + (letter != wanted), row[place] + 1, row[place - 1] + 1),
            )

    assert count_edits(one, other) == row[-1]


def test_texts_without_end_are_refused():
    with pytest.raises(TooLongError, match="too long to be compared: 200,000"):
        count_edits("a" * 200_000, "b" * 200_000)
