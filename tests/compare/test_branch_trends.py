"""The trend of a base branch grows by a record for each run, and loses none to a race."""

import msgspec
import pytest

from agentevals.compare import branch_trends
from agentevals.compare.branch_trends import LONGEST, Trend, add_missed, add_run
from agentevals.model.outcome import Point
from tests.compare.runs import run


def point(name, day=1, **figures):
    return Point(commit=name * 40, made_at=f"2026-11-{day:02}T08:00:00Z", **figures)


def grow(trend, name, day=1, **scores):
    return add_run(trend, point(name, day), run(scores).cases)


def test_each_run_adds_a_point_and_a_letter_for_each_case():
    trend = grow(grow(Trend(), "a", rome=1, oslo=0), "b", rome=0, oslo=0)

    assert [one.commit[0] for one in trend.points] == ["a", "b"]
    assert trend.strips == {"rome": "pf", "oslo": "ff"}


def test_a_case_that_a_run_did_not_have_has_a_dash_there():
    trend = grow(grow(grow(Trend(), "a", rome=1), "b", oslo=1), "c", rome=1, oslo=1)

    assert trend.strips == {"rome": "p-p", "oslo": "-pp"}


def test_a_commit_that_ran_again_has_its_last_record_only():
    trend = grow(grow(grow(Trend(), "a", rome=1), "b", rome=1), "a", rome=0)

    assert [one.commit[0] for one in trend.points] == ["b", "a"]
    assert trend.strips == {"rome": "pf"}


def test_runs_of_a_machine_have_no_commit_and_are_all_kept():
    trend = Trend()
    for score in (1, 0, 1):
        trend = add_run(trend, Point(commit=""), run({"rome": score}).cases)

    assert trend.strips == {"rome": "pfp"}


def test_it_never_grows_beyond_its_length():
    trend = Trend()
    for day in range(LONGEST + 5):
        trend = add_run(trend, Point(commit=f"{day:040}"), run({f"case {day}": 1, "rome": 1}).cases)

    assert len(trend.points) == LONGEST
    assert trend.strips["rome"] == "p" * LONGEST
    assert len(trend.strips) == LONGEST + 1  # a case that none of these runs had is gone


def test_two_runs_at_once_are_both_in_the_trend_of_a_later_one():
    first = grow(Trend(), "a", day=1, rome=1)
    one, other = grow(first, "b", day=2, rome=0), grow(first, "c", day=3, rome=1)

    joined = add_missed(other, [one])

    assert [point.commit[0] for point in joined.points] == ["a", "b", "c"]
    assert joined.strips == {"rome": "pfp"}
    assert add_missed(joined, [one, other]) == joined


def test_records_without_a_time_are_not_put_between_others():
    known = Trend(points=(Point(commit="a"), Point(commit="b")))

    assert add_missed(known, [Trend(points=(Point(commit="c"),))]) == known


@pytest.mark.parametrize("damaged", ["", "pfpfpfpfpf", "\N{BOMB}", "<script>", "p"])
def test_a_damaged_strip_says_nothing_and_harms_no_other(damaged):
    known = grow(grow(Trend(), "a", rome=1, oslo=1), "b", rome=1, oslo=1)
    bad = msgspec.structs.replace(known, strips=known.strips | {"rome": damaged})

    trend = grow(bad, "c", rome=1, oslo=0)

    assert trend.strips["oslo"] == "ppf"
    assert len(trend.strips["rome"]) == 3
    assert set(trend.strips["rome"]) <= set("pfen-")


def test_there_is_a_limit_to_the_cases_and_those_of_the_run_come_first():
    known = Trend(points=(point("a"),), strips={f"{n}": "p" for n in range(branch_trends._CASES)})

    trend = grow(known, "b", rome=1)

    assert len(trend.strips) == branch_trends._CASES
    assert trend.strips["rome"] == "-p"
