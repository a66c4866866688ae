"""How many cases would decide: a range, that holds where as many cases are asked."""

import pytest

from agentevals.compare.changes import Question
from agentevals.compare.differences import Difference, Values
from agentevals.compare.figures import Measured
from agentevals.compare.needs import find_needed_cases
from agentevals.compare.statistics.intervals import estimate_difference
from agentevals.model.outcome import Figure, Unit
from agentevals.model.policy import Limit


def ask(pairs, unit=Unit.SHARE, *, flips=False, **limit):
    cases = [Values(float(was), float(now), *family) for was, now, *family in pairs]
    row = Measured(
        figure="any",
        name="any",
        unit=unit,
        head=Figure(value=1.0),
        difference=Difference(unit, cases, flips=flips) if cases else None,
    )
    return Question(row, Limit(**limit))


@pytest.mark.parametrize(("limit", "least"), [(0.02, 190), (0.05, 74), (0.1, 37)])
def test_where_nothing_flips_it_is_the_rule_of_three(limit, least):
    """-log(0.025) / limit, with two digits."""
    assert find_needed_cases(ask([(1, 1)] * 30, max_drop=limit))[0] == least


def test_flips_ask_for_more_cases():
    calm, noisy = ([(1, 1)] * (30 - n) + [(1, 0), (0, 1)] * (n // 2) for n in (0, 6))

    few, many = (find_needed_cases(ask(pairs, max_drop=0.05)) for pairs in (calm, noisy))

    assert few[0] < many[0]
    assert few[1] < many[1]


def test_a_range_is_narrower_where_more_is_known():
    few, many = (find_needed_cases(ask([(1, 1)] * n, max_drop=0.02)) for n in (10, 100))

    assert many[1] < few[1]


@pytest.mark.parametrize("unit", [Unit.MONEY, Unit.TOKENS, Unit.MILLISECONDS])
def test_a_ratio_has_a_need_as_well(unit):
    pairs = [(100, 80), (100, 130), (100, 95), (100, 105)] * 5

    least, most = find_needed_cases(ask(pairs, unit, max_ratio=1.05))

    assert 20 < least < most < 1_000


# by hand: -log(0.025) · log(2) / log(1.2), as a latency that may double, and
# -log(0.025) / 0.2, as a cost; with two digits
@pytest.mark.parametrize(("unit", "least"), [(Unit.MILLISECONDS, 15), (Unit.MONEY, 19)])
def test_a_latency_is_measured_by_its_logarithm(unit, least):
    assert find_needed_cases(ask([(100, 100)] * 5, unit, max_ratio=1.2))[0] == least


@pytest.mark.parametrize(
    "question",
    [
        ask([(1, 1)] * 30),
        ask([(1, 1)] * 30, max_drop=0.0),
        ask([(1, 1)] * 30, max_drop=1e-9),
        ask([(1, 1)] * 30, max_drop=5e-324),
        ask([], max_drop=0.1),
        ask([(1, 1)] * 30, Unit.MONEY, max_ratio=1.0),
        ask([(1, 1)] * 30, Unit.MILLISECONDS, max_ratio=1.0),
    ],
)
def test_without_a_limit_that_leaves_room_there_is_none(question):
    assert find_needed_cases(question) is None


@pytest.mark.parametrize("pairs", [[(0, 0)], [(0, 5)], [(0, 0)] * 5, [(0, 5)] * 5])
def test_what_costs_nothing_on_the_base_has_none(pairs):
    assert find_needed_cases(ask(pairs, Unit.MONEY, max_ratio=1.2)) is None


@pytest.mark.parametrize("pairs", [[(1, 2)], [(1, 1)], [(1, 0)]])
@pytest.mark.parametrize("unit", [Unit.SCORE, Unit.MONEY, Unit.MILLISECONDS])
def test_of_one_case_something_can_be_said(pairs, unit):
    limit = {"max_drop": 0.1} if unit is Unit.SCORE else {"max_ratio": 1.2}

    least, most = find_needed_cases(ask(pairs, unit, **limit))

    assert 1 < least <= most


def test_families_count_as_cases():
    alone = find_needed_cases(ask([(1, 1, f"f{n}") for n in range(30)], max_drop=0.05))
    families = find_needed_cases(ask([(1, 1, f"f{n % 3}") for n in range(30)], max_drop=0.05))

    assert families[0] >= alone[0]
    assert families[1] > alone[1]


@pytest.mark.parametrize("cases", [3, 30, 100])
def test_as_many_cases_as_there_are_do_not_do(cases):
    least, _ = find_needed_cases(ask([(1, 1)] * cases, max_drop=0.1))

    assert least > cases


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.2])
def test_without_a_flip_the_first_number_is_the_first_that_keeps_the_limit(margin):
    least, _ = find_needed_cases(ask([(1, 1)] * 4, flips=True, max_drop=margin))

    assert estimate_difference(0, 0, least).low >= -margin
    assert estimate_difference(0, 0, least - 1 - least // 20).low < -margin  # it has two digits


def test_of_15_cases_without_a_flip_the_16th_keeps_a_limit_of_20_points():
    least, _ = find_needed_cases(ask([(1, 1)] * 15, flips=True, max_drop=0.2))

    assert least == 16
