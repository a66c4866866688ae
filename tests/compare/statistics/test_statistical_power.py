"""How small a drop of the pass rate is likely to be seen."""

import random

import pytest

from agentevals.compare.statistics.difference_bounds import Flips
from agentevals.compare.statistics.significance import Table, fell_together
from agentevals.compare.statistics.statistical_power import (
    SignTest,
    find_detectable_drop,
    find_needed_cases,
)

TEST = SignTest(alpha=0.05, few=10, flip=0.2)


# by hand: the smallest d with P(at least 5 of n are lost) >= 0.8, where each is lost with d; of
# five cases 4 are enough, as 5 · 0.2⁴ · 0.8 + 0.2⁵ = 0.0067 and 3 would be 0.058
@pytest.mark.parametrize(
    ("cases", "drop"), [(5, 0.8314), (10, 0.5809), (30, 0.2139), (100, 0.0663), (300, 0.0223)]
)
def test_where_nothing_flips_by_chance(cases, drop):
    assert find_detectable_drop(cases, 0, TEST) == pytest.approx(drop, abs=1e-4)


@pytest.mark.parametrize("cases", [0, 1])
def test_so_few_cases_show_no_drop_at_all(cases):
    assert find_detectable_drop(cases, 0, TEST) is None


@pytest.mark.parametrize("cases", [10, 60, 300, 1000])
def test_more_chance_hides_larger_drops(cases):
    found = [find_detectable_drop(cases, round(cases * share), TEST) for share in (0, 0.1, 0.2)]

    assert None not in found
    assert found == sorted(found)


@pytest.mark.parametrize(("cases", "flipped"), [(10, 0), (30, 3), (60, 6), (150, 15), (400, 40)])
def test_the_drop_is_found_in_eight_of_ten_simulated_runs(cases, flipped):
    drop, chance = find_detectable_drop(cases, flipped, TEST), random.Random(7)
    noise = flipped / cases / 2

    found = 0
    for _ in range(2_000):
        flips = [chance.random() for _ in range(cases)]
        lost = sum(flip < drop + noise for flip in flips)
        won = sum(flip > 1 - noise for flip in flips)
        tables = [Table(1, 0, 0, 1)] * lost + [Table(0, 1, 1, 0)] * won
        found += fell_together(tables) <= 0.05

    assert 0.77 < found / 2_000 < 0.86


# by hand: -log(0.025) / margin, the rule of three
@pytest.mark.parametrize(("margin", "least"), [(0.02, 185), (0.05, 74), (0.1, 37), (0.5, 8)])
def test_where_nobody_differs_the_unseen_case_alone_takes_cases(margin, least):
    assert find_needed_cases(margin, [0.0] * 30, 1.0)[0] == least


# by hand: (1.96 + 0.84)² · 0.2² / 0.05² = 126, of which 30 cases know the variance to -22 and +47 %
def test_where_others_are_like_these_the_spread_alone_takes_cases():
    least, most = find_needed_cases(0.05, [0.2, -0.2] * 15, 0.0)

    assert (least, most) == pytest.approx((94, 184), abs=2)


@pytest.mark.parametrize("reach", [0.0, 1.0])
def test_a_smaller_margin_takes_more_cases_and_so_does_more_noise(reach):
    calm, noisy = [0.1, -0.1, 0.0] * 10, [0.2, -0.2, 0.0] * 10

    few, some, many = (
        find_needed_cases(margin, errors, reach)
        for margin, errors in ((0.1, calm), (0.1, noisy), (0.05, noisy))
    )

    assert few < some < many


def test_the_range_is_narrower_where_more_is_known():
    (low, high), (less, more) = (
        find_needed_cases(0.05, [0.2, -0.2] * pairs, 0.0) for pairs in (5, 500)
    )

    assert low < less < more < high


@pytest.mark.parametrize(("cases", "reach"), [(1, 0.0), (1, 1.0), (2, 0.0), (3, 100.0)])
def test_of_very_few_cases_there_is_a_range(cases, reach):
    least, most = find_needed_cases(0.1, [0.3] * cases, reach)

    assert 1 <= least < most


@pytest.mark.parametrize("margin", [5e-324, 1e-300, 1e-9])
def test_a_margin_of_almost_nothing_takes_more_cases_than_anybody_has(margin):
    assert find_needed_cases(margin, [0.1, -0.1], 1.0)[0] > 1_000_000


@pytest.mark.parametrize("margin", [0.0, -0.1])
def test_without_a_margin_no_number_of_cases_does(margin):
    with pytest.raises(ValueError, match="margin"):
        find_needed_cases(margin, [0.1], 1.0)


@pytest.mark.parametrize(("noise", "margin"), [(0.0, 0.05), (0.02, 0.1), (0.1, 0.1)])
def test_with_so_many_cases_the_margin_is_kept_in_eight_of_ten_runs(noise, margin):
    """Of cases that flip as often either way; it asks for rather more cases than for fewer."""
    flips, chance = round(1_000 * noise), random.Random(3)
    errors = [1.0] * flips + [-1.0] * flips + [0.0] * (1_000 - 2 * flips)
    needed = sum(find_needed_cases(margin, errors, 1.0)) // 2

    kept = 0
    for _ in range(300):
        drawn = [chance.random() for _ in range(needed)]
        lost, won = sum(one < noise for one in drawn), sum(one > 1 - noise for one in drawn)
        kept += Flips(lost, won, needed).find_low(0.025) >= -margin

    assert kept >= 0.76 * 300
