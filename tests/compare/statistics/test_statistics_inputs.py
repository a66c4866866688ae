"""What is not a finite number is refused everywhere, by ValueError."""

from math import copysign, inf, nan

import pytest

from agentevals.compare.statistics import (
    confidence_intervals,
    difference_bounds,
    significance,
    statistical_power,
)
from agentevals.compare.statistics.statistics_inputs import Part, finite
from agentevals.compare.statistics.subset_bounds import Subsets
from agentevals.compare.statistics.unseen_case_bounds import Unseen

TEST = statistical_power.SignTest(alpha=0.05, few=10, flip=0.2)


def with_part(make, value):
    """Ask for the interval of eight parts, of which one is wrong."""
    return difference_bounds.make_interval(make([*[Part(0.1, 1.0)] * 8, Part(value, 1.0)]))


@pytest.mark.parametrize("wrong", [nan, inf, -inf])
@pytest.mark.parametrize(
    "given",
    [
        lambda value: confidence_intervals.wilson(1, 2, value),
        lambda value: confidence_intervals.wilson(1, value),
        lambda value: confidence_intervals.estimate_difference(value, 1, 9),
        lambda value: significance.holm([0.1, value]),
        lambda value: significance.benjamini_hochberg([value]),
        lambda value: significance.fell(1, value, 1, 1),
        lambda value: significance.fell_together([significance.Table(1, 1, value, 1)]),
        lambda value: significance.compare_all([significance.Table(1, 1, 1, value)]),
        lambda value: statistical_power.find_detectable_drop(value, 1, TEST),
        lambda value: statistical_power.find_detectable_drop(10, value, TEST),
        lambda value: statistical_power.find_needed_cases(-abs(value), [0.1, 0.2], 1.0),
        lambda value: statistical_power.find_needed_cases(0.1, [0.1, value], 1.0),
        lambda value: statistical_power.find_needed_cases(0.1, [0.1, 0.2], value),
        lambda value: difference_bounds.make_interval(difference_bounds.Flips(1, value, 9)),
        lambda value: with_part(Subsets, value),
        lambda value: with_part(lambda parts: Unseen(parts, Part(-1), Part(1)), value),
        lambda value: with_part(lambda parts: Unseen(parts, Part(value), Part(1)), 0.1),
        lambda value: with_part(lambda parts: Unseen(parts, Part(-1), Part(value)), 0.1),
        lambda value: with_part(
            lambda parts: difference_bounds.estimate_mean_difference(parts, 1), value
        ),
        lambda value: with_part(
            lambda parts: difference_bounds.estimate_mean_difference(parts, value), 0
        ),
        lambda value: with_part(difference_bounds.estimate_ratio, value),
        lambda value: with_part(difference_bounds.estimate_typical_ratio, value),
        lambda value: difference_bounds.Flips(1, 1, 4).find_low(value),
    ],
)
def test_what_is_not_a_finite_number_is_refused_everywhere(given, wrong):
    with pytest.raises(ValueError, match=r"nan|inf|NaN|margin"):
        given(wrong)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Subsets([]),
        lambda: statistical_power.find_needed_cases(0.1, [], 1.0),
    ],
)
def test_of_no_case_nothing_can_be_told(make):
    with pytest.raises(ValueError, match="case"):
        make()


def test_an_integer_beyond_every_float_is_refused_as_well():
    with pytest.raises(ValueError, match="an integer is too large"):
        finite([10**400])


def test_integers_and_outcomes_are_numbers():
    assert finite([1, True, False, 0.5]) == [1.0, 1.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("part", "ratio"),
    [
        (Part(0.5), 0.5),
        (Part(3.0, 2.0), 1.5),
        (Part(2.0, 0.0), inf),
        (Part(-2.0, 0.0), -inf),
        (Part(0.0, 0.0), 0.0),
    ],
)
def test_a_part_has_a_ratio_even_to_nothing(part, ratio):
    assert part.ratio == ratio
    assert copysign(1, part.ratio) == copysign(1, ratio)
