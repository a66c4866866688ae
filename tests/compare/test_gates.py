"""The interval decides whether a limit against the base is kept, broken, or cannot be told."""

import pytest

from agentevals.model.outcome import Change
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
