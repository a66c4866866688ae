""""""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics import significance
from agentevals.compare.statistics.significance import (
    Table,
    benjamini_hochberg,
    fell,
    fell_together,
    holm,
)

RUNS = st.integers(0, 300)
P_VALUES = st.lists(st.floats(0, 1), max_size=30)
BOTH = pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
# the 25 p values of McDonald, "Handbook of Biological Statistics", on multiple comparisons
DIETS = [
    *(0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269),
    *(0.275, 0.34, 0.341, 0.384, 0.569, 0.594, 0.696, 0.762, 0.94, 0.942, 0.975, 0.986),
]


# scipy 1.17.1: fisher_exact([[base_passed, base_failed], [head_passed, head_failed]], "greater");
# the first row is Fisher's tea, with half of the cups named right but one
@pytest.mark.parametrize(
    ("runs", "p_value"),
    [
        ((3, 1, 1, 3), 0.24285714285714285),
        ((9, 1, 0, 10), 5.953798523468641e-05),
        ((10, 0, 9, 1), 0.5),
        ((10, 0, 6, 4), 0.04334365325077399),
        ((3, 0, 0, 3), 0.05),
        ((2, 0, 0, 2), 1 / 6),
        ((1, 0, 0, 1), 0.5),
        ((0, 4, 4, 0), 1.0),
        ((0, 0, 0, 0), 1.0),
    ],
)
def test_the_p_value_is_the_published_one(runs, p_value):
    assert fell(*runs) == pytest.approx(p_value, rel=1e-9)


def test_it_is_the_share_of_all_ways_to_deal_the_runs():
    deals = [sum(head) for head in combinations([1] * 7 + [0] * 5, 5)]

    assert fell(5, 2, 2, 3) == pytest.approx(sum(dealt <= 2 for dealt in deals) / comb(12, 5))


@given(RUNS, RUNS, RUNS, RUNS)
def test_a_p_value_lies_between_0_and_1_and_falls_with_what_passes(was, not_was, now, not_now):
    assert 0 <= fell(was, not_was, now, not_now) <= 1
    if now:
        fewer = fell(was, not_was, now - 1, not_now + 1)
        assert fewer <= fell(was, not_was, now, not_now) * (1 + 1e-9)


def test_very_many_runs_are_no_trouble():
    assert fell(50_000, 0, 40_000, 10_000) == 0
    assert fell(25_000, 25_000, 25_000, 25_000) == pytest.approx(0.5025, abs=1e-3)


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="head_failed is -1"):
        fell(1, 1, 1, -1)


def count_tails(tables):
    """Every way to deal the passes of each case to both sides: as few in the head, and as many."""
    chances = {0: Fraction(1)}
    for table in tables:
        total = comb(table.runs, table.head)
        found = {}
        for known, chance in chances.items():
            for number in range(table.head + 1):
                ways = comb(table.passed, number) * comb(
                    table.runs - table.passed, table.head - number
                )
                if ways:
                    sum_ = known + number
                    found[sum_] = found.get(sum_, 0) + chance * Fraction(ways, total)
        chances = found
    seen = sum(table.head_passed for table in tables)
    fewer = sum(chance for number, chance in chances.items() if number <= seen)
    more = sum(chance for number, chance in chances.items() if number >= seen)
    return float(fewer), float(more)


TABLES = st.lists(st.builds(significance.Table, *[st.integers(0, 4)] * 4), max_size=5)


@given(TABLES)
def test_all_cases_together_are_as_likely_as_counting_says(tables):
    known = [one for one in tables if one.head and one.runs > one.head]

    fewer, more = count_tails(known)

    assert fell_together(tables) == pytest.approx(fewer, abs=1e-9)
    assert significance.compare_all(tables) == pytest.approx(
        min(1.0, 2 * min(fewer, more)), abs=1e-9
    )


def test_of_one_case_it_is_twice_the_smaller_side():
    assert significance.compare_all([significance.Table(10, 0, 6, 4)]) == pytest.approx(
        2 * significance.fell(10, 0, 6, 4)
    )


@pytest.mark.parametrize("table", [(10, 0, 9, 1), (9, 1, 8, 2), (5, 5, 5, 5)])
def test_of_many_runs_it_is_as_good_as_exact(table):
    """Forty cases are counted exactly, one more is not."""
    exact = significance.compare_all([significance.Table(*table)] * 40)
    normal = significance.compare_all([significance.Table(*table)] * 41)

    assert normal == pytest.approx(exact, rel=0.2, abs=1e-6)


def test_where_nothing_can_change_nothing_has():
    assert (
        significance.compare_all([significance.Table(5, 0, 5, 0), significance.Table(0, 3, 0, 3)])
        == 1.0
    )
    assert significance.compare_all([]) == 1.0
    assert significance.compare_all([significance.Table(500, 0, 500, 0)]) == 1.0


@given(RUNS, RUNS, RUNS, RUNS)
def test_of_one_case_it_is_the_test_of_this_case(was, not_was, now, not_now):
    together = fell_together([Table(was, not_was, now, not_now)])

    if now + not_now <= 400 and was + not_was:
        assert together == pytest.approx(fell(was, not_was, now, not_now), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("fallen", "risen"), [(1, 0), (5, 0), (6, 1), (12, 3), (3, 3), (0, 4)])
def test_of_single_runs_it_is_the_sign_test_of_the_cases_that_flipped(fallen, risen):
    tables = [Table(1, 0, 0, 1)] * fallen + [Table(0, 1, 1, 0)] * risen + [Table(1, 0, 1, 0)] * 30
    flipped = fallen + risen

    as_many = sum(comb(flipped, number) for number in range(fallen, flipped + 1)) / 2**flipped

    assert fell_together(tables) == pytest.approx(as_many)


@pytest.mark.parametrize("others", [0, 10, 396, 397, 5_000])
@pytest.mark.parametrize(("past", "fallen"), [(1, 4), (4, 2), (15, 1), (20, 1), (50, 2)])
def test_cases_that_pass_as_ever_change_nothing_however_many_there_are(others, past, fallen):
    """Their runs can be dealt in one way only; of one fallen case it is 1 of all its runs."""
    tables = [Table(past, 0, 1, 0)] * others + [Table(past, 0, 0, 1)] * fallen

    assert fell_together(tables) == pytest.approx(1 / (past + 1) ** fallen)


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(tables, random):
    shuffled = random.sample(tables, k=len(tables))

    assert fell_together(shuffled) == pytest.approx(fell_together(tables))


@given(TABLES, st.integers(0, 4))
def test_a_case_that_passes_more_often_never_makes_a_fall_likelier(tables, place):
    if place < len(tables) and tables[place].head_failed:
        table = tables[place]
        raised = table._replace(
            head_passed=table.head_passed + 1, head_failed=table.head_failed - 1
        )
        better = [*tables[:place], raised, *tables[place + 1 :]]

        assert fell_together(better) >= fell_together(tables) - 1e-9


@given(TABLES)
def test_all_together_have_a_p_value(tables):
    assert 0 <= fell_together(tables) <= 1
    assert 0 <= significance.compare_all(tables) <= 1


def test_cases_of_one_side_only_say_nothing():
    fell_ = [Table(1, 0, 0, 1)] * 4

    assert fell_together([*fell_, Table(5, 0, 0, 0), Table(0, 0, 0, 9)]) == fell_together(fell_)
    assert fell_together([]) == 1.0


def test_very_many_cases_are_no_trouble():
    tables = [Table(1, 0, 0, 1)] * 50_200 + [Table(0, 1, 1, 0)] * 49_800

    # (400 - 1) / sqrt(100,000) standard deviations of a fair coin
    assert fell_together(tables) == pytest.approx(0.1035, abs=1e-3)


@given(st.integers(0, 3), st.sampled_from([-1, -5]))
def test_what_is_no_number_of_runs_is_refused(place, wrong):
    counts = [1, 1, 1, 1]
    counts[place] = wrong

    with pytest.raises(ValueError, match=str(wrong)):
        fell_together([Table(*counts)])


# statsmodels 0.15.0: multipletests(p_values, method="holm") and method="fdr_bh"
@pytest.mark.parametrize(
    ("adjust", "p_values", "adjusted"),
    [
        (holm, [0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        (holm, [0.5, 0.5, 0.9], [1.0, 1.0, 1.0]),
        (holm, DIETS[:5], [0.005, 0.032, 0.117, 0.117, 0.117]),
        (holm, DIETS, [0.025, 0.192, 0.897, 0.902, 0.902, *[1.0] * 20]),
        (benjamini_hochberg, [0.01, 0.04, 0.03, 0.005], [0.02, 0.04, 0.04, 0.02]),
        (benjamini_hochberg, [0.5, 0.5, 0.9], [0.75, 0.75, 0.9]),
        (
            benjamini_hochberg,
            DIETS,
            [
                *(0.025, 0.1, 0.21, 0.21, 0.21, 0.25, 0.26428571428571423),
                *([0.49107142857142855] * 7),
                *(0.5328125, 0.5328125, 0.5647058823529412, 0.781578947368421, 0.781578947368421),
                *(0.87, 0.9071428571428571, 0.986, 0.986, 0.986, 0.986),
            ],
        ),
    ],
)
def test_p_values_are_adjusted_as_published(adjust, p_values, adjusted):
    assert adjust(p_values) == pytest.approx(adjusted, rel=1e-12)


@BOTH
def test_none_and_one_need_no_adjustment(adjust):
    assert adjust([]) == []
    assert adjust([0.02]) == [0.02]


@BOTH
@given(p_values=P_VALUES)
def test_an_adjusted_p_value_is_at_least_the_p_value_and_at_most_1(adjust, p_values):
    pairs = zip(p_values, adjust(p_values), strict=True)

    assert all(p_value <= adjusted <= 1 for p_value, adjusted in pairs)


@BOTH
@given(p_values=P_VALUES)
def test_the_order_of_the_evidence_is_kept(adjust, p_values):
    ranked = [adjusted for _, adjusted in sorted(zip(p_values, adjust(p_values), strict=True))]

    assert ranked == sorted(ranked)


@BOTH
@given(p_values=P_VALUES, random=st.randoms(use_true_random=False))
def test_each_p_value_is_adjusted_wherever_it_stands(adjust, p_values, random):
    order = random.sample(range(len(p_values)), k=len(p_values))
    adjusted = adjust(p_values)

    assert adjust([p_values[place] for place in order]) == [adjusted[place] for place in order]


@given(P_VALUES)
def test_holm_is_the_stricter(p_values):
    pairs = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)

    assert all(strict >= lenient * (1 - 1e-12) for strict, lenient in pairs)


@BOTH
@pytest.mark.parametrize("wrong", [-0.01, 1.01])
def test_what_is_no_p_value_is_refused(adjust, wrong):
    with pytest.raises(ValueError, match="is no p value"):
        adjust([0.5, wrong])
