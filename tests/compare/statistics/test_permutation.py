from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare.statistics.permutation import sign_flip

SCORES = st.floats(-1, 1).filter(lambda value: value == 0 or abs(value) > 1e-6)


# Counted by hand, 2 * (combinations that reach as far) / 2**n; scipy 1.17.1 agrees
# (permutation_test, permutation_type="samples", n_resamples=inf)
@pytest.mark.parametrize(
    ("differences", "p_value"),
    [
        ([0.5], 1.0),
        ([1, 2, 3], 2 / 8),
        ([1, 2, -3], 1.0),
        ([0.3, -0.1, 0.2, 0.4, 0.15], 4 / 32),
        ([0.1, 0.2, 0.3, -0.6], 1.0),
        ([0.1] * 9, 2 / 2**9),
        ([0.1] * 10, 2 / 2**10),
        ([-0.5, -0.25, 0.1, -0.3, -0.05, 0.2, -0.45, -0.15, 0.05, -0.35], 66 / 2**10),
        ([1.0] * 18 + [-1.0] * 6, 2 * 190051 / 2**24),  # a sign test: 24 coins, 6 or fewer heads
    ],
)
def test_few_differences_are_enumerated(differences, p_value):
    assert sign_flip(differences) == p_value


@pytest.mark.parametrize(
    "differences", [[], [0.0], [0.0] * 9, [0, 0, 0, -0.0], [0.1 + 0.2 - 0.3] * 10]
)
def test_without_a_difference_there_is_no_evidence(differences):
    assert sign_flip(differences) == 1.0


def test_cases_without_a_difference_change_nothing():
    assert sign_flip([0.1, 0.2, 0.3, *[0.0] * 500]) == sign_flip([0.1, 0.2, 0.3])


def test_sums_that_differ_by_rounding_only_are_ties():
    # 0.1 + 0.2 is not 0.3 in binary; in tenths the same differences are whole numbers
    tenths = [1, 2, -3, 4, -4, 7, 1, 1]

    assert sign_flip([tenth / 10 for tenth in tenths]) == sign_flip(tenths)


@given(st.lists(st.integers(-5, 5).filter(bool), min_size=1, max_size=10))
def test_it_equals_the_textbook(differences):
    flips = list(product((-1, 1), repeat=len(differences)))
    sums = [sum(map(int.__mul__, differences, signs)) for signs in flips]

    as_far = sum(abs(one) >= abs(sum(differences)) for one in sums)

    assert sign_flip(differences) == as_far / len(flips)


@settings(deadline=None)
@given(st.lists(SCORES, max_size=40))
def test_a_p_value_lies_between_0_and_1_and_base_and_head_may_be_swapped(differences):
    p_value = sign_flip(differences)

    assert 0 < p_value <= 1
    assert sign_flip([-value for value in differences]) == p_value


@settings(deadline=None)
@given(st.lists(SCORES, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(differences, random):
    shuffled = random.sample(differences, k=len(differences))

    assert sign_flip(shuffled) == sign_flip(differences)


def test_the_order_of_many_cases_does_not_matter_either():
    differences = [Random(seed).gauss(0.05, 0.2) for seed in range(60)]

    assert sign_flip(differences[::-1]) == sign_flip(differences)


@pytest.mark.parametrize("scale", [1e-9, 7.3, 1e307])
def test_the_unit_does_not_matter(scale):
    differences = [0.3, -0.1, 0.2, 0.4, 0.15]

    assert sign_flip([scale * value for value in differences]) == sign_flip(differences)


# scipy 1.17.1: 2 * binom.cdf(minus, plus + minus, 0.5), from which the estimate may be off by three
# standard errors of 9,999 resamples
@pytest.mark.parametrize(
    ("plus", "minus", "p_value"), [(18, 7, 0.043285250663757324), (120, 80, 0.005685155996750306)]
)
def test_many_differences_are_sampled(plus, minus, p_value):
    error = (p_value * (1 - p_value) / 9_999) ** 0.5

    assert sign_flip([0.1] * plus + [-0.1] * minus) == pytest.approx(p_value, abs=3 * error)


def test_a_sampled_p_value_is_never_zero():
    assert sign_flip([0.5] * 200) == 1 / 10_000


def test_a_sampled_p_value_of_no_mean_difference_is_1():
    assert sign_flip([0.1, -0.1] * 50) == 1.0


def test_chance_repeats_itself():
    random = Random(7)
    differences = [random.gauss(0.02, 0.2) for _ in range(300)]

    assert sign_flip(differences) == sign_flip(list(differences))
