"""The rows of the table of figures: what each is over, and that they add up."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentevals.model.outcome import FailOn, Kind
from agentevals.model.policy import Acceptance, Limit, Policy
from agentevals.model.results import Identity
from agentevals.report.pages import figure_rows, figure_table
from agentevals.report.pages.page_shortening import FULL
from tests.compare.runs import against, run

NAMES = "abcdefghij"
REGRESSED = FailOn.REGRESSED
SCORES = st.sampled_from([0.0, 1.0, None])


def listed(outcome):
    return {row.name: row for row in figure_rows.list_rows(outcome)}


def cells(page, name):
    """The cells of a row, as a reader sees them."""
    line = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip().replace("\xa0", " ") for cell in line.split("|")[1:-1]]


BASE = run({"a": 1, "b": 1, "c": 0, "d": 0})


def test_each_row_is_over_the_same_cases_on_both_sides_and_says_how_many():
    outcome = against(run({"a": 1, "b": 0, "new": 1}), BASE)

    page = figure_table.table(outcome, "main", FULL)

    assert cells(page, "Pass rate, all cases")[1:4] == ["4 → 3", "50.0 % (2/4)", "66.7 % (2/3)"]
    both = cells(page, "Pass rate, cases in both")
    assert both[1:5] == ["2", "100.0 % (2/2)", "50.0 % (1/2)", "−50.0 pp: 1 worse"]  # noqa: RUF001
    assert (
        "Not in the differences: 1 new case (1 passed now); 2 removed cases (0 passed on `main`)."
    ) in page


def test_with_the_same_cases_there_is_one_row():
    outcome = against(run({"a": 1, "b": 0, "c": 0, "d": 0}), BASE)

    assert [name for name in listed(outcome) if name.startswith("Pass rate")] == ["Pass rate"]
    assert listed(outcome)["Pass rate"].cases == "4"


def test_what_a_case_expects_now_is_no_difference():
    identity = {"evaluators": {"path": "e"}, "rules": "r"}
    base = run({"a": 1, "b": 1}, identity=Identity(**identity, cases={"a": "1", "b": "1"}))
    head = run({"a": 0, "b": 1}, identity=Identity(**identity, cases={"a": "2", "b": "1"}))

    page = figure_table.table(against(head, base), "main", FULL)

    told = "1 case whose expectation changed (0 passed now, 1 passed on `main`)"
    assert told in page


@pytest.mark.parametrize(
    ("fail_on", "limit", "told"),
    [
        (FailOn.FAILED, "every case passes", "❌ 3 failed"),
        (FailOn.REGRESSED, "no worse than by chance", "✅ met"),
        (FailOn.ANY_FLIP, "no case regresses", "❌ 1 regressed"),
    ],
)
def test_the_gate_that_fails_by_default_is_in_the_table(fail_on, limit, told):
    outcome = against(run({"a": 1, "b": 0, "c": 0, "d": 0}), BASE, fail_on=fail_on)

    row = cells(figure_table.table(outcome, "main", FULL), "Pass rate")

    assert [row[5].replace("\xa0", " "), row[6]] == [limit, told]


def test_the_decision_of_the_run_stands_beside_the_pass_rate():
    outcome = against(
        run(dict.fromkeys("abcdef", 0)), run(dict.fromkeys("abcdef", 1)), fail_on=REGRESSED
    )

    row = cells(figure_table.table(outcome, "main", FULL), "Pass rate")

    assert row[-1] == "❌ more than chance explains (p < 0.001); regressed"


def many(score):
    return run({f"c{at}": {"path": score + at / 1000} for at in range(30)})


def test_a_figure_whose_fall_fails_the_run_fails_in_the_table():
    outcome = against(many(0.62), many(0.9), fail_on=FailOn.REGRESSED)
    allowed = against(many(0.62), many(0.9))

    assert outcome.exit_code == 1
    page = figure_table.table(outcome, "main", FULL)
    assert cells(page, "Mean score")[-1] == "❌ regressed"
    assert cells(figure_table.table(allowed, "main", FULL), "Mean score")[-1] == "⚠️ regressed"


def test_a_fall_of_attempts_is_decided_by_the_attempts():
    def side(passed):
        return run({name: [1.0] * passed + [0.0] * (5 - passed) for name in "abcde"})

    outcome = against(side(3), side(5), fail_on=FailOn.REGRESSED)

    row = cells(figure_table.table(outcome, "main", FULL), "Pass rate, cases in both")
    assert row[4] == "−40.0 pp: 5 worse"  # noqa: RUF001
    assert row[6] == "❌ more than chance explains (p < 0.001)"


def test_an_accepted_failure_does_not_miss_it():
    entry = Acceptance(case="b", reason="waits", until="2027-01-31")
    outcome = against(run({"a": 1, "b": 0}, policy=Policy(accepted=(entry,))))

    assert cells(figure_table.table(outcome, "main", FULL), "Pass rate")[-1] == "✅ met"


def test_a_limit_of_one_side_and_one_of_the_difference_stand_at_what_they_are_about():
    policy = Policy(limits={"pass_rate": Limit(at_least=0.9, max_drop=0.1)})
    outcome = against(run({"a": 1, "b": 0, "new": 1}, policy=policy), BASE)

    found = listed(outcome)

    whole, both = found["Pass rate, all cases"], found["Pass rate, cases in both"]
    assert (whole.limit, whole.reason, whole.fails) == ("≥ 90 %", "below the limit", True)
    assert (both.limit, both.fails, both.warns) == ("drop ≤ 10 pp", False, True)
    assert both.reason == "too few cases to tell, 200 to 730 would decide"


@pytest.mark.parametrize(
    ("limits", "fail_on", "shown"),
    [
        ({}, FailOn.FAILED, False),
        ({"pass_rate": Limit(at_least=0.1)}, FailOn.FAILED, False),
        ({"pass_rate": Limit(max_drop=0.1)}, FailOn.FAILED, True),
        ({}, FailOn.REGRESSED, False),
    ],
)
def test_an_interval_stands_where_a_decision_rests_on_it(limits, fail_on, shown):
    names = [f"c{at}" for at in range(12)]
    head = run(dict.fromkeys(names, 0), policy=Policy(limits=limits))
    outcome = against(head, run(dict.fromkeys(names, 1)), fail_on=fail_on)

    assert ("…" in cells(figure_table.table(outcome, "main", FULL), "Pass rate")[4]) is shown


def test_too_few_cases_are_told_of_once_with_what_to_do():
    few = figure_table.table(against(run({"a": 1}), run({"a": 1})), "main", FULL)
    many = {f"c{at}": 1 for at in range(200)}

    assert (
        few.count("With 1 case in both runs, no drop of the pass rate can be told from chance.")
        == 1
    )
    some = figure_table.table(
        against(run(dict.fromkeys("abcde", 1)), run(dict.fromkeys("abcde", 1))), "main", FULL
    )
    assert (
        "With 5 cases in both runs, a drop of the pass rate by 83 points is found in 8 of 10 runs. "
        "More cases show smaller drops."
    ) in some
    assert "8 of 10" not in figure_table.table(against(run(many), run(many)), "main", FULL)


def test_a_drop_that_was_seen_needs_no_word_about_power():
    names = [f"c{at}" for at in range(12)]
    outcome = against(run(dict.fromkeys(names, 0)), run(dict.fromkeys(names, 1)))

    assert "8 of 10" not in figure_table.table(outcome, "main", FULL)


def test_the_figures_that_moved_are_shown_and_the_others_folded():
    def used(tokens):
        names = {f"c{at}": {"tokens": {"total": tokens}} for at in range(4)}
        return run(dict.fromkeys(names, 1), amounts=names)

    assert "Mean tokens per case" in figure_table.table(against(used(120), used(100)), "main", FULL)
    assert "Mean tokens per case" not in figure_table.table(
        against(used(101), used(100)), "main", FULL
    )
    assert "Mean tokens per case" in figure_table.others(against(used(101), used(100)), "main")


RUNS = st.dictionaries(st.sampled_from(NAMES), st.lists(SCORES, min_size=1, max_size=3))


@given(RUNS, RUNS)
@example({"a": [0.0], "b": [0.0, 1.0]}, {"a": [0.0]})  # only a new case has attempts
@example({"a": [0.0]}, {"a": [0.0], "b": [0.0, 0.0]})  # or only one that is gone
@settings(deadline=None, max_examples=300)
def test_the_rows_add_up_to_what_the_report_says(head, base):
    outcome = against(run(head), run(base))
    row = next((gate for gate in outcome.gates if gate.figure == "pass_rate"), None)
    if row is None or not row.pairs:
        return

    whole, paired = row.head, row.paired or row.head
    earlier, inside = row.earlier or row.base, row.base
    apart = outcome.apart or ()
    sides = (("head", whole, paired), ("base", earlier, inside))
    for name, every, part in () if paired.attempts or inside.attempts else sides:
        sides = [getattr(one, name) for one in apart]
        assert every.met == part.met + sum(side.met for side in sides if side)
        assert every.of == part.of + sum(side.of for side in sides if side)
    counted = {one.kind: one.cases for one in apart}
    assert counted.get(Kind.ADDED, 0) == outcome.counts.added
    assert counted.get(Kind.REMOVED, 0) == outcome.counts.removed
    gone = outcome.counts.removed
    assert row.pairs + sum(counted.values()) == outcome.counts.cases + gone
    assert_difference_is_that_of_the_row(outcome)


def assert_difference_is_that_of_the_row(outcome):
    for row in figure_rows.list_rows(outcome):
        if row.difference is not None and not row.is_ratio and row.head and row.base:
            assert row.head.value - row.base.value == pytest.approx(row.difference)


@given(RUNS, RUNS)
@settings(deadline=None, max_examples=50)
def test_no_verdict_is_lost_in_the_table(head, base):
    policy = Policy(limits={"pass_rate": Limit(at_least=0.5, max_drop=0.1)})
    outcome = against(run(head, policy=policy), run(base, policy=policy))

    found = list(figure_rows.list_rows(outcome))

    for gate in outcome.gates:
        mine = [row for row in found if row.figure == gate.figure]
        assert any(row.fails for row in mine) == gate.fails
        assert not gate.warns or any(row.warns for row in mine)
        shown = " and ".join(row.limit for row in mine if row.limit)
        assert set(re.split(" and ", shown)) == set(re.split(" and ", gate.limit))
