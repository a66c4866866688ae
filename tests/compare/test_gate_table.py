"""The interval decides whether a limit against the base is kept, broken, or cannot be told.

How many cases would decide: a range, that holds where as many cases are asked.
"""

import pytest

from agentevals.compare.figure_changes import Question
from agentevals.compare.figure_differences import Difference, Values
from agentevals.compare.figures import Measured
from agentevals.compare.gate_table import find_needed_cases
from agentevals.compare.statistics.confidence_intervals import estimate_difference
from agentevals.model.outcome import Change, Figure, Unit
from agentevals.model.policy import Limit, Policy, Unsure
from agentevals.model.results import Verdict
from tests.compare.runs import against, run
from tests.compare.test_section import gate, many


def limited(figure, limit, **fields):
    return Policy(limits={"pass_rate": Limit(at_least=0), figure: limit}, **fields)


def beside(head, base, policy, **fields):
    return against(run(head, policy=policy, **fields), run(base, policy=policy, **fields))


@pytest.mark.parametrize(
    ("cases", "drop", "change"),
    [
        (1, 0.02, Change.UNDERPOWERED),
        (3, 0.02, Change.UNDERPOWERED),
        (30, 0.02, Change.UNDERPOWERED),
        (30, 0.12, Change.EQUIVALENT),
        (34, 0.1, Change.UNDERPOWERED),
        (35, 0.1, Change.EQUIVALENT),
        (73, 0.05, Change.EQUIVALENT),
        (180, 0.02, Change.UNDERPOWERED),
        (189, 0.02, Change.EQUIVALENT),
        (300, 0.0, Change.UNDERPOWERED),
    ],
)
@pytest.mark.parametrize("figure", ["pass_rate", "score", "evaluator:path"])
def test_where_no_case_differs_the_width_of_the_interval_decides(figure, cases, drop, change):
    policy = limited(figure, Limit(max_drop=drop))

    row = gate(beside(many(cases), many(cases), policy), figure)

    assert row.change is change
    assert row.warns is (change is not Change.EQUIVALENT)


@pytest.mark.parametrize(
    ("unsure", "verdict"),
    [(Unsure.FAIL, Verdict.FAIL), (Unsure.WARN, Verdict.PASS), (Unsure.PASS, Verdict.PASS)],
)
def test_a_limit_that_cannot_be_told_is_what_the_policy_makes_of_it(unsure, verdict):
    policy = limited("pass_rate", Limit(max_drop=0.02), on_inconclusive=unsure)

    section = beside(many(3), many(3), policy)

    assert section.verdict is verdict
    assert gate(section, "pass_rate").reason == "too few cases to tell, at least 190 would decide"


def test_without_a_limit_a_figure_of_which_no_case_differs_is_unchanged():
    section = against(run(many(3)), run(many(3)))

    assert {row.change for row in section.gates} == {Change.UNCHANGED}


@pytest.mark.parametrize(
    ("cases", "change"), [(3, Change.UNDERPOWERED), (4, Change.REGRESSED), (5, Change.REGRESSED)]
)
def test_all_cases_lost_break_a_limit_that_the_whole_interval_breaks(cases, change):
    limits = {name: Limit(max_drop=0.02) for name in ("pass_rate", "score")}
    policy = Policy(limits=limits | {"cost": Limit()})

    row = gate(beside(many(0, cases), many(cases), policy), "pass_rate")

    assert (row.change, row.fails) == (change, change is Change.REGRESSED)


def test_an_improvement_is_no_worse_than_no_change():
    policy = limited("pass_rate", Limit(max_drop=0.02), on_inconclusive=Unsure.FAIL)
    same = gate(beside(many(7, 1), many(7, 1), policy), "pass_rate")
    better = gate(beside(many(8), many(7, 1), policy), "pass_rate")

    assert (same.change, same.fails) == (better.change, better.fails)


def test_scores_that_all_changed_alike_have_an_interval_with_a_width():
    head, base = ({f"c{n}": score for n in range(5)} for score in (0.8, 0.9))

    row = gate(against(run(head), run(base)), "score")

    assert row.difference == pytest.approx(-0.1)
    assert row.interval.low < -0.5
    assert row.interval.high > 0.4


def test_below_five_cases_there_is_no_interval():
    assert gate(against(run(many(4)), run(many(4))), "pass_rate").interval is None
    assert gate(against(run(many(5)), run(many(5))), "pass_rate").interval is not None


@pytest.mark.parametrize(("cases", "change"), [(12, Change.UNDERPOWERED), (13, Change.EQUIVALENT)])
def test_an_amount_of_which_no_case_differs_is_kept_if_an_unseen_one_may_double(cases, change):
    policy = limited("tokens", Limit(max_ratio=1.25))
    amounts = {f"c{n:03}": {"tokens": {"total": 100}, "latency": {}} for n in range(cases)}

    row = gate(beside(many(cases), many(cases), policy, amounts=amounts), "tokens")

    assert row.change is change


def test_how_many_cases_would_decide_is_said_as_a_range():
    policy = limited("pass_rate", Limit(max_drop=0.02))

    section = beside(many(58, 2), many(60), policy)

    row = gate(section, "pass_rate")
    assert row.change is Change.UNDERPOWERED
    assert row.reason == "too few cases to tell, 590 to 1,900 would decide"


def test_a_drop_near_its_limit_cannot_be_told_by_these_cases():
    policy = limited("score", Limit(max_drop=0.052))
    base = {f"c{n}": 0.9 for n in range(60)}
    head = {f"c{n}": 0.9 - 0.05 * (n % 5 != 0) - 0.1 * (n % 10 == 0) for n in range(60)}

    row = gate(beside(head, base, policy), "score")

    assert row.change is Change.UNDERPOWERED


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


def test_a_limit_that_allows_nearly_no_change_takes_more_cases_than_anybody_has():
    assert find_needed_cases(ask([(1, 1)] * 15, flips=True, max_drop=5e-324)) is None


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
