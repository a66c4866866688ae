"""How small a drop of the pass rate is likely to be seen."""

import random

import pytest

from agentevals.compare.statistics import mcnemar
from agentevals.compare.statistics.power import find_detectable_drop


# by hand: the smallest d with P(at least 6 of n are lost) >= 0.8, where each is lost with d; with
# five, McNemar's mid-p is 0.031, so that five are enough
@pytest.mark.parametrize(
    ("cases", "drop"), [(5, 0.9564), (10, 0.5809), (30, 0.2139), (100, 0.0663), (300, 0.0223)]
)
def test_where_nothing_flips_by_chance(cases, drop):
    assert find_detectable_drop(cases, 0) == pytest.approx(drop, abs=1e-4)


@pytest.mark.parametrize("cases", [0, 1, 2, 4])
def test_so_few_cases_show_no_drop_at_all(cases):
    assert find_detectable_drop(cases, 0) is None


@pytest.mark.parametrize("cases", [10, 60, 61, 1000])
def test_more_chance_hides_larger_drops(cases):
    found = [find_detectable_drop(cases, round(cases * share)) for share in (0, 0.1, 0.2)]

    assert None not in found
    assert found == sorted(found)


@pytest.mark.parametrize(("cases", "flipped"), [(10, 0), (30, 3), (60, 6), (150, 15), (400, 40)])
def test_the_drop_is_found_in_eight_of_ten_simulated_runs(cases, flipped):
    drop, chance = find_detectable_drop(cases, flipped), random.Random(7)
    noise = flipped / cases / 2

    found = 0
    for _ in range(2_000):
        flips = [chance.random() for _ in range(cases)]
        lost = sum(flip < drop + noise for flip in flips)
        won = sum(flip > 1 - noise for flip in flips)
        found += lost > won and mcnemar.mid_p(lost, won) < 0.05

    assert 0.77 < found / 2_000 < 0.86
