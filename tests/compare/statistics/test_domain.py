from math import inf, nan

import pytest

from agentevals.compare.statistics import intervals, multiplicity, power
from agentevals.compare.statistics.domain import finite

TEST = power.SignTest(alpha=0.05, few=10, flip=0.2)


@pytest.mark.parametrize("wrong", [nan, inf, -inf])
@pytest.mark.parametrize(
    "given",
    [
        lambda value: intervals.wilson(1, 2, value),
        lambda value: intervals.wilson(1, value),
        lambda value: intervals.estimate_difference(1, value, 1, 1),
        lambda value: multiplicity.holm([0.1, value]),
        lambda value: multiplicity.benjamini_hochberg([value]),
        lambda value: power.find_detectable_drop(value, 1, TEST),
        lambda value: power.find_detectable_drop(10, value, TEST),
    ],
)
def test_what_is_not_a_finite_number_is_refused_everywhere(given, wrong):
    with pytest.raises(ValueError, match=str(wrong)):
        given(wrong)


def test_an_integer_beyond_every_float_is_refused_as_well():
    with pytest.raises(ValueError, match="an integer is too large"):
        finite([10**400])


def test_integers_and_outcomes_are_numbers():
    assert finite([1, True, False, 0.5]) == [1.0, 1.0, 0.0, 0.5]
