import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.graders.text.metrics.sequences import longest_common
from agentevals.model.errors import EvaluatorError


def by_the_book(one, other):
    row = [0] * (len(other) + 1)
    for a in one:
        above, row = row, [0]
        for place, b in enumerate(other, start=1):
            row.append(above[place - 1] + 1 if a == b else max(above[place], row[-1]))
    return row[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_it_equals_the_textbook(one, other):
    assert longest_common(one, other) == by_the_book(one, other)


def test_long_equal_texts_are_no_work():
    assert longest_common("ab" * 1_000_000, "ab" * 1_000_000) == 2_000_000


def test_texts_that_would_take_for_ever_are_refused():
    with pytest.raises(EvaluatorError, match="too long to be compared: 200,000 and 200,000"):
        longest_common("a" * 200_000, "b" * 200_000)
