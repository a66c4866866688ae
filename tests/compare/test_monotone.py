"""A case that gets better never makes a gate worse."""

from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentevals.compare.figure_changes import Question
from agentevals.model.policy import Limit
from tests.simulate import amounts, rates, scores
from tests.simulate.limits import judge
from tests.simulate.pull_requests import Drawn, measure_figure

AMOUNTS = frozenset({"cost", "tokens", "latency"})
POPULATIONS = st.sampled_from([*rates.POPULATIONS, *scores.POPULATIONS, *amounts.POPULATIONS])
SIZES = st.sampled_from([3, 5, 6, 9, 12, 31, 40, 45])
PARTS = st.sampled_from([0.0, 0.1, 0.5, 1.0])
DROPS, RATIOS = (0.0, 0.02, 0.03, 0.05, 0.1, 0.3), (1.0, 1.1, 1.2, 1.5, 3.0)
ROUNDING = 1e-7


@st.composite
def improvements(draw):
    """A figure over some cases, and over the same where one of them is better in the head."""
    population, random = draw(POPULATIONS), Random(draw(st.integers()))
    cases = population.draw(random, draw(SIZES))
    at = draw(st.integers(0, len(cases) - 1))
    better = improve(population.figure, cases[at], draw(PARTS))
    improved = [*cases[:at], better, *cases[at + 1 :]]
    assume(better != cases[at])
    return [measure_figure(population.figure, found) for found in (cases, improved)]


def improve(figure, case, part):
    """Let a case pass, or go some part of the way to the best it can be."""
    best = 0.0 if figure in AMOUNTS else 1.0
    now = [1.0 if figure == "pass_rate" else (1 - part) * one + part * best for one in case.now]
    return case if figure == "score" and max(case.now) > best else Drawn(case.was, now, case.family)


def find_ends(row):
    """Return the ends of the interval, the worse one first: more is better."""
    interval = Question(row, Limit()).interval
    if interval is None:
        return None
    is_amount = row.figure in AMOUNTS
    return (-interval.high, -interval.low) if is_amount else (interval.low, interval.high)


def rank(row, limit):
    """How bad the gate is: 2 where it fails, 1 where it cannot tell, 0 where all is well."""
    gate = judge(row, limit)
    return 2 * gate.fails + gate.warns


@given(improvements())
@settings(deadline=None, max_examples=150)
def test_no_end_of_the_interval_gets_worse(pair):
    before, after = map(find_ends, pair)
    assume(before and after)

    assert after[0] >= before[0] - ROUNDING
    assert after[1] >= before[1] - ROUNDING


@given(improvements(), st.data())
@settings(deadline=None, max_examples=100)
def test_no_gate_gets_worse(pair, data):
    if pair[0].figure in AMOUNTS:
        limit = Limit(max_ratio=data.draw(st.sampled_from(RATIOS)))
    else:
        limit = Limit(max_drop=data.draw(st.sampled_from(DROPS)))
    before, after = (rank(row, limit) for row in pair)

    assert after <= before
