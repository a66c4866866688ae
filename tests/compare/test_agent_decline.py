"""Whether the agent got worse: one decision over all cases, with a chance of a false alarm."""

from random import Random

import pytest

from agentevals.compare.agent_decline import FALSE_ALARMS, find_decline
from agentevals.compare.case_pairs import Pair
from agentevals.compare.case_summaries import BaseCase, Judgement
from agentevals.compare.figure_differences import Difference, Values
from agentevals.compare.figures import Measured
from agentevals.compare.highlights import Side
from agentevals.model.cases import Status
from agentevals.model.outcome import Standing, Unit
from agentevals.model.results import Verdict


def side(name, was, now, *, recordings=("", ""), **fields):
    """A case with the number of its attempts that passed, of how many, before and now."""
    base, head = (
        tuple(
            BaseCase(
                case_id=name,
                verdict=Verdict.PASS if attempt < passed else Verdict.FAIL,
                outcomes={"path": Judgement(status=Status.PASSED)},
                recording=recording,
                **fields,
            )
            for attempt in range(runs)
        )
        for (passed, runs), recording in zip((was, now), recordings, strict=True)
    )
    return Side(Pair(name, head=head, base=base), _stand(*was), _stand(*now))


def _stand(passed, runs):
    verdict = Verdict.PASS if 2 * passed > runs else Verdict.FAIL
    return Standing(verdict=verdict, runs=runs, passed=passed)


def sides(cases, lost=0, won=0, *, families=None, **fields):
    """Cases of one attempt on either side: the first are lost, and the next won."""
    return [
        side(
            f"c{n}",
            (int(not lost <= n < lost + won), 1),
            (int(n >= lost), 1),
            family=families(n) if families else "",
            **fields,
        )
        for n in range(cases)
    ]


def decide(found, *rows, judged=(), alpha=FALSE_ALARMS):
    return find_decline(found, rows, frozenset(judged), alpha)


def scores(changes, figure="score"):
    found = Difference(Unit.SCORE, [Values(0.5, 0.5 + change) for change in changes])
    return Measured(figure=figure, name=figure, unit=Unit.SCORE, head=None, difference=found)


@pytest.mark.parametrize(
    ("cases", "lost", "won", "proven"),
    [
        (30, 0, 0, False),
        (30, 4, 0, False),  # the sign test: 1 / 2**4
        (30, 5, 0, True),  # 1 / 2**5
        (30, 7, 1, True),  # 9 / 2**8
        (30, 6, 1, False),  # 8 / 2**7
        (300, 1, 0, False),
        (300, 30, 30, False),
        (300, 0, 30, False),
        (5_000, 4, 0, False),
        (5_000, 5, 0, True),
    ],
)
def test_of_single_runs_the_flips_decide_by_the_sign_test(cases, lost, won, proven):
    found = decide(sides(cases, lost, won))

    assert (found.fell, found.rose, found.facts) == (lost, won, 0)
    assert found.proven is proven


@pytest.mark.parametrize("cases", [2, 3, 5, 9])
def test_among_few_cases_all_that_fail_are_enough(cases):
    assert decide(sides(cases, lost=cases)).proven


# by hand: the chance of as many or more, if each fails with 1 in 5
@pytest.mark.parametrize(
    ("cases", "lost", "p_value"),
    [(5, 3, 0.0579), (5, 4, 0.0067), (7, 3, 0.1480), (7, 4, 0.0333), (9, 4, 0.0856)],
)
def test_among_few_cases_each_may_fail_by_chance_once_in_five_runs(cases, lost, p_value):
    assert decide(sides(cases, lost)).p_value == pytest.approx(p_value, abs=1e-4)


@pytest.mark.parametrize("cases", [1, 2, 5, 9, 10, 30, 200])
def test_one_case_that_fell_is_never_proof(cases):
    assert not decide(sides(cases, lost=1)).proven


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1, 0.2])
@pytest.mark.parametrize("cases", [3, 5, 9, 10, 30])
def test_a_noisy_agent_that_did_not_change_alarms_in_one_of_twenty_runs_at_most(cases, noise):
    random, alarms, runs = Random(cases), 0, 1_000
    for _ in range(runs):
        drawn = [tuple(int(random.random() >= noise) for _ in range(2)) for _ in range(cases)]
        found = [side(f"c{n}", (was, 1), (now, 1)) for n, (was, now) in enumerate(drawn)]
        alarms += decide(found).proven

    # two standard errors of a thousand runs
    assert alarms / runs <= FALSE_ALARMS + 0.014


@pytest.mark.parametrize("repeats", [1, 3, 10])
def test_a_case_that_breaks_wholly_is_seen_the_better_the_more_often_it_was_run(repeats):
    found = [side(f"c{n}", (repeats, repeats), (repeats, repeats)) for n in range(30)]
    found[0] = side("c0", (repeats, repeats), (0, repeats))

    assert decide(found).proven is (repeats > 1)


def test_thirty_cases_that_fail_all_of_ten_repeats_are_proof():
    """Each passed nine of ten times on the base, and so failed by its worst repeat before."""
    assert decide([side(f"c{n}", (9, 10), (0, 10)) for n in range(30)]).proven


def test_one_failed_repeat_of_ten_is_no_proof():
    found = [side(f"c{n}", (10, 10), (10, 10)) for n in range(30)]
    found[0] = side("c0", (10, 10), (9, 10))

    assert not decide(found).proven


@pytest.mark.parametrize(
    ("earlier", "proven"),
    [("p" * 19, True), ("p" * 17, False), ("pf" * 9, False), ("", False)],
)
@pytest.mark.parametrize("cases", [1, 30, 401])
def test_the_history_of_a_case_says_how_much_one_failure_tells(cases, earlier, proven):
    """Of 19 earlier passes and the base's, the one failure is in the head by chance 1 in 21."""
    assert decide(sides(cases, lost=1, earlier=earlier)).proven is proven


class TestRecordings:
    def test_the_same_recording_that_fails_now_is_a_fact(self):
        found = decide(sides(300, lost=1, recordings=("r1", "r1")))

        assert (found.facts, found.proven) == (1, True)

    def test_it_is_none_where_a_judge_has_moods(self):
        found = decide(sides(300, lost=1, recordings=("r1", "r1")), judged={"path"})

        assert (found.facts, found.proven) == (0, False)

    @pytest.mark.parametrize("recordings", [("", ""), ("r1", "r2"), ("r1", ""), ("", "r1")])
    def test_another_recording_is_another_run(self, recordings):
        found = decide(sides(300, lost=1, recordings=recordings))

        assert (found.facts, found.proven) == (0, False)

    def test_a_fact_that_is_better_is_no_decline(self):
        found = decide(sides(300, won=9, recordings=("r1", "r1")))

        assert (found.facts, found.rose, found.proven) == (0, 9, False)

    def test_facts_are_no_noise_of_the_others(self):
        replays = sides(30, won=20, recordings=("r1", "r1"))
        others = [side(f"other{n}", (1, 1), (0, 1)) for n in range(10)]

        assert decide([*replays, *others]).proven


class TestFamilies:
    def test_cases_of_one_family_fall_together(self):
        """Ten cases of one family are one flip, and not ten."""
        assert decide(sides(30, lost=10)).proven
        assert not decide(sides(30, lost=10, families=lambda n: "a" * (n < 10))).proven

    def test_as_many_families_as_would_be_cases_are_proof(self):
        assert decide(sides(60, lost=12, families=lambda n: f"f{n // 2}")).proven

    @pytest.mark.parametrize("moved", [0, 5])
    def test_families_in_which_nothing_changes_on_the_whole_are_no_decline(self, moved):
        """The first five are lost, and the next five won: one of each in a family."""
        found = decide(sides(30, lost=moved, won=moved, families=lambda n: f"f{n % 5}"))

        assert (found.p_value, found.proven) == (1.0, False)

    def test_families_that_rise_make_up_for_those_that_fall(self):
        assert not decide(sides(60, lost=12, won=12, families=lambda n: f"f{n // 2}")).proven


class TestFigures:
    def test_a_score_that_fell_everywhere_is_proof_though_every_case_still_passes(self):
        assert decide(sides(30), scores([-0.1, -0.2, -0.15] * 10)).proven

    def test_a_score_that_wavers_is_none(self):
        assert not decide(sides(30), scores([-0.1, 0.1, 0.05, -0.05] * 8)).proven

    def test_a_score_that_rose_is_none(self):
        assert not decide(sides(30), scores([0.1, 0.2, 0.15] * 10)).proven

    def test_a_score_that_says_what_the_cases_say_is_not_asked_twice(self):
        pairs = [Values(1.0, 0.0)] * 5 + [Values(1.0, 1.0)] * 25
        rows = [
            Measured(figure=f, name=f, unit=u, head=None, difference=Difference(u, pairs))
            for f, u in (("pass_rate", Unit.SHARE), ("score", Unit.SCORE))
        ]

        assert decide(sides(30, lost=5), *rows).p_value == decide(sides(30, lost=5)).p_value

    def test_two_looks_need_twice_the_proof(self):
        alone = decide(sides(30, lost=5)).p_value

        both = decide(sides(30, lost=5), scores([-0.1, 0.1, 0.05, -0.06] * 8)).p_value

        assert both == pytest.approx(2 * alone)

    def test_two_looks_find_larger_drops_only(self):
        alone, both = decide(sides(30)), decide(sides(30), scores([-0.1, 0.1, 0.05, -0.06] * 8))

        assert both.detectable > alone.detectable + 0.01

    def test_amounts_are_no_decline(self):
        pairs = [Values(1.0, 9.0)] * 30
        cost = Measured(
            figure="cost",
            name="cost",
            unit=Unit.MONEY,
            head=None,
            difference=Difference(Unit.MONEY, pairs),
        )

        assert not decide(sides(30), cost).proven


def test_a_smaller_chance_of_a_false_alarm_needs_more_proof():
    assert decide(sides(30, lost=5)).proven
    assert not decide(sides(30, lost=5), alpha=FALSE_ALARMS / 2).proven
    assert decide(sides(30, lost=6), alpha=FALSE_ALARMS / 2).proven


def test_of_no_case_nothing_is_claimed():
    found = decide([])

    assert (found.p_value, found.proven, found.fell) == (1.0, False, 0)


@pytest.mark.parametrize("cases", [10, 30, 100])
def test_the_drop_that_is_named_is_found_in_eight_of_ten_runs(cases):
    drop = decide(sides(cases)).detectable
    random, found, runs = Random(cases), 0, 500

    for _ in range(runs):
        lost = sum(random.random() < drop for _ in range(cases))
        found += decide(sides(cases, lost=lost)).proven

    assert found / runs == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("cases", [2, 3, 5, 9])
def test_among_few_cases_as_well(cases):
    drop = decide(sides(cases)).detectable
    random, found, runs = Random(cases), 0, 500

    for _ in range(runs):
        lost = sum(random.random() < drop for _ in range(cases))
        found += decide(sides(cases, lost=lost)).proven

    assert 0.74 < found / runs < 0.87
