"""One word for what became of a figure: by the interval, against the limit of its change."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare.figure_changes import ALPHA, Question, adjust
from agentevals.compare.figure_differences import Difference, Values
from agentevals.compare.figures import Measured
from agentevals.model.outcome import Change, Figure, Unit
from agentevals.model.policy import Limit

quick = settings(deadline=None, max_examples=80)
GOOD = [Change.REGRESSED, Change.UNDERPOWERED, Change.KEPT, Change.EQUIVALENT, Change.IMPROVED]


def ask(pairs, unit=Unit.SHARE, figure="pass_rate", **limit):
    values = [Values(float(was), float(now)) for was, now in pairs]
    found = Difference(unit, values, flips=unit is Unit.SHARE)
    head = Figure(value=1.0)
    row = Measured(figure=figure, name=figure, unit=unit, head=head, difference=found)
    return Question(replace(row, difference=found if pairs else None), Limit(**limit))


def flips(cases, lost=0, won=0):
    kept = [(1, 1)] * (cases - lost - won)
    return [(1, 0)] * lost + [(0, 1)] * won + kept


def answer(question):
    return question.answer(*adjust([question]))


@pytest.mark.parametrize(
    ("cases", "lost", "won", "limit", "change"),
    [
        (200, 0, 0, 0.02, Change.EQUIVALENT),  # the rule of three: 3 / 200
        (100, 0, 0, 0.02, Change.UNDERPOWERED),
        (200, 0, 30, 0.02, Change.IMPROVED),
        (200, 8, 12, 0.05, Change.KEPT),  # not further down than the limit, but further up
        (200, 8, 8, 0.05, Change.EQUIVALENT),
        (200, 30, 0, 0.05, Change.REGRESSED),
        (100, 12, 0, 0.05, Change.REGRESSED),  # p = 0.03
        (100, 11, 0, 0.05, Change.UNDERPOWERED),
        (200, 14, 0, 0.05, Change.UNDERPOWERED),  # 7 %: it may be below 5 %, and may be above
        (5, 5, 0, 0.02, Change.REGRESSED),
        (3, 3, 0, 0.02, Change.UNDERPOWERED),  # that they fell by 2 % has a chance of 13 %
        (4, 0, 0, 0.99, Change.UNDERPOWERED),
    ],
)
def test_the_word_of_a_pass_rate_with_a_limit(cases, lost, won, limit, change):
    assert answer(ask(flips(cases, lost, won), max_drop=limit)) is change


@pytest.mark.parametrize(
    ("cases", "lost", "won", "change"),
    [
        (30, 0, 0, Change.UNCHANGED),
        (1, 0, 0, Change.UNCHANGED),
        (30, 1, 0, Change.INCONCLUSIVE),
        (30, 6, 6, Change.INCONCLUSIVE),
        (30, 12, 0, Change.REGRESSED),
        (30, 0, 12, Change.IMPROVED),
        (2, 2, 0, Change.INCONCLUSIVE),
    ],
)
def test_the_word_of_a_pass_rate_without_a_limit(cases, lost, won, change):
    assert answer(ask(flips(cases, lost, won))) is change


@pytest.mark.parametrize("unit", [Unit.MONEY, Unit.TOKENS, Unit.MILLISECONDS])
@pytest.mark.parametrize(
    ("pairs", "limit", "change"),
    [
        ([(100, 100)] * 60, 1.2, Change.EQUIVALENT),
        ([(100, 100)] * 9, 1.2, Change.UNDERPOWERED),
        ([(100, 150), (100, 151)] * 10, 1.2, Change.REGRESSED),
        ([(100, 50), (100, 51)] * 10, 1.2, Change.IMPROVED),
        ([(100, 60), (100, 140), (100, 110)] * 10, 1.5, Change.EQUIVALENT),
        ([(100, 150)] * 4, 1.2, Change.UNDERPOWERED),
        ([(100, 110), (100, 111)] * 40, None, Change.REGRESSED),
        ([(100, 90), (100, 91)] * 40, None, Change.IMPROVED),
        ([(100, 100)] * 9, None, Change.UNCHANGED),
    ],
)
def test_the_word_of_an_amount(unit, pairs, limit, change):
    assert answer(ask(pairs, unit, max_ratio=limit)) is change


@pytest.mark.parametrize(("limit", "change"), [(1.15, Change.KEPT), (1.2, Change.EQUIVALENT)])
def test_an_amount_that_may_have_fallen_further_than_it_may_rise_is_kept(limit, change):
    """Between 0.84 and 1.01 times: 1 / 1.15 is 0.87, and 1 / 1.2 is 0.83."""
    question = ask([(100, 60), (100, 125)] * 30, Unit.MONEY, max_ratio=limit)

    assert answer(question) is change


@pytest.mark.parametrize("limit", [None, 1.2])
@pytest.mark.parametrize("cases", [1, 5, 10, 60])
def test_what_costs_nothing_on_either_side_has_not_improved(cases, limit):
    change = answer(ask([(0, 0)] * cases, Unit.MONEY, max_ratio=limit))

    assert change in {Change.UNCHANGED, Change.EQUIVALENT, Change.UNDERPOWERED}


def test_what_cost_nothing_before_is_beyond_every_ratio():
    question = ask([(0, 5)] * 10, Unit.MONEY, max_ratio=1.2)

    assert answer(question) is Change.REGRESSED
    assert question.interval is None


@pytest.mark.parametrize("cases", [1, 4])
def test_below_five_pairs_there_is_no_interval(cases):
    assert ask(flips(cases)).interval is None
    assert ask(flips(5)).interval is not None


def test_without_a_difference_nothing_is_claimed():
    question = ask([])

    assert (question.p_value, question.interval) == (1.0, None)
    assert answer(question) is Change.UNCHANGED


def test_the_p_value_against_a_limit_is_about_the_limit():
    plain, limited = ask(flips(100, lost=8)), ask(flips(100, lost=8), max_drop=0.05)

    assert plain.p_value < 0.02
    assert limited.p_value > 0.2


PASSES = st.lists(st.sampled_from([(1, 1), (1, 0), (0, 1), (0, 0)]), min_size=1, max_size=60)
SCORES = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda pair: tuple(round(x, 2) for x in pair)),
    min_size=1,
    max_size=40,
)
DROPS = st.one_of(st.none(), st.floats(0, 0.5))


@quick
@given(PASSES | SCORES, DROPS)
def test_word_interval_and_p_value_do_not_contradict_each_other(pairs, limit):
    question = ask(pairs, Unit.SCORE, max_drop=limit)
    change, interval = answer(question), question.interval
    bad, good = (0.0, 0.0) if limit is None else (-limit, 0.0)

    if interval is None:
        assert change in {
            *(Change.UNDERPOWERED, Change.REGRESSED),
            *(Change.UNCHANGED, Change.INCONCLUSIVE, Change.IMPROVED),
        }
        return
    if change is Change.REGRESSED:
        assert interval.high <= bad + 1e-6
    elif change is Change.IMPROVED:
        assert interval.low >= good - 1e-6
    elif change in {Change.KEPT, Change.EQUIVALENT}:
        assert interval.low >= bad
    elif change in {Change.UNDERPOWERED, Change.INCONCLUSIVE}:
        assert interval.low <= bad + 1e-6
        assert interval.high >= bad - 1e-6
    assert (question.p_value <= ALPHA) is (change is Change.REGRESSED) or limit is None


@quick
@given(PASSES, st.floats(0, 0.5), st.data())
def test_a_case_that_gets_better_never_worsens_the_word(pairs, limit, data):
    place = data.draw(st.integers(0, len(pairs) - 1))
    better = [*pairs[:place], (pairs[place][0], 1), *pairs[place + 1 :]]

    was, now = (answer(ask(each, max_drop=limit)) for each in (pairs, better))

    assert _rank(now) >= _rank(was)


def _rank(change):
    """Order words by what the gate does: kept and equivalent are alike."""
    return GOOD.index(Change.KEPT if change is Change.EQUIVALENT else change)


@quick
@given(PASSES | SCORES)
def test_swapping_base_and_head_mirrors_the_word(pairs):
    mirror = {Change.REGRESSED: Change.IMPROVED, Change.IMPROVED: Change.REGRESSED}

    change = answer(ask(pairs))

    assert answer(ask([(now, was) for was, now in pairs])) is mirror.get(change, change)


class TestAdjust:
    def test_one_question_is_not_adjusted(self):
        question = ask(flips(30, lost=8), max_drop=0.02)

        assert adjust([question]) == [question.p_value]

    def test_limits_are_adjusted_so_that_hardly_one_fails_by_chance(self):
        """Holm: the least times two, the other times one."""
        surer, other = ask(flips(30, lost=9)), ask(flips(30, lost=8, won=1))
        surer, other = (replace(one, limit=Limit(max_drop=0.02)) for one in (surer, other))

        assert adjust([surer, other]) == pytest.approx([2 * surer.p_value, other.p_value])

    def test_what_is_only_shown_is_adjusted_so_that_few_stand_out_by_chance(self):
        """Benjamini and Hochberg: the larger times one, and the least no more than that."""
        surer, other = ask(flips(30, lost=9)), ask(flips(30, lost=8, won=1))

        assert adjust([surer, other]) == pytest.approx(
            [min(2 * surer.p_value, other.p_value), other.p_value]
        )

    @pytest.mark.parametrize("limit", [None, 0.02])
    def test_the_same_changes_are_one_question(self, limit):
        twice = [ask(flips(30, lost=8), unit, max_drop=limit) for unit in (Unit.SHARE, Unit.SCORE)]

        assert adjust(twice) == [one.p_value for one in twice]

    @pytest.mark.parametrize("limit", [None, 0.02])
    def test_what_was_not_measured_asks_nothing(self, limit):
        question = ask(flips(30, lost=8), max_drop=limit)
        absent = ask([], Unit.SCORE, max_drop=limit)

        assert adjust([question, absent]) == [question.p_value, 1.0]

    def test_limits_and_what_is_shown_do_not_hinder_each_other(self):
        limited, shown = ask(flips(30, lost=8), max_drop=0.02), ask(flips(30, lost=7, won=1))

        assert adjust([limited, shown]) == [limited.p_value, shown.p_value]

    @quick
    @given(st.lists(st.tuples(PASSES, DROPS), max_size=5))
    def test_an_adjusted_p_value_is_no_less_than_the_p_value(self, asked):
        questions = [ask(pairs, max_drop=limit) for pairs, limit in asked]

        for question, p_value in zip(questions, adjust(questions), strict=True):
            assert question.p_value * (1 - 1e-9) <= p_value <= 1
