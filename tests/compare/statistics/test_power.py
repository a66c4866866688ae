"""How small a drop of the pass rate is likely to be seen."""

import random

import pytest

from agentevals.compare.statistics.fisher import Table, fell_together
from agentevals.compare.statistics.power import SignTest, find_detectable_drop

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
