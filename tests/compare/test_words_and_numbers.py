"""The word of a row, its interval, its difference and what the gate does never contradict."""

import math
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.model.outcome import Change, FailOn, Gate
from agentevals.model.policy import Limit, Policy, Unsure
from agentevals.model.results import Verdict
from agentevals.model.review import Review, Scene
from agentevals.report.pages import first_line
from tests.compare.runs import against, run

BOTH = {"pass_rate": Limit(max_drop=0.02), "score": Limit(max_drop=0.02)}
COSTS = {"cost": Limit(max_ratio=1.2)}


def cases(number, score):
    return {f"c{at}": score(at) if callable(score) else score for at in range(number)}


def costs(number, cost):
    return {f"c{at}": {"cost": {"total": cost(at)}} for at in range(number)}


def compare(base, head, limits=None, *, spent=None, judged=(), **fields):
    policy = Policy(limits=limits or {})
    sides = []
    for scores, amounts in zip((base, head), spent or (None, None), strict=True):
        one = run(scores, policy=policy, amounts=amounts)
        known = msgspec.structs.replace(one.identity, judged=judged)
        sides.append(msgspec.structs.replace(one, identity=known))
    return against(sides[1], sides[0], **fields)


def lose(count, number):
    return cases(number, 1.0), cases(number, lambda at: float(at >= count))


COMPARISONS = {
    "a judge sees 30 of 30 fall": lambda: compare(
        cases(30, 1.0), cases(30, 0.0), judged=("path",), fail_on=FailOn.REGRESSED
    ),
    "a collapse behind flaky attempts": lambda: compare(
        cases(30, [1.0] * 9 + [0.0]), cases(30, [0.0] * 10), fail_on=FailOn.REGRESSED
    ),
    "one bad attempt of three hundred": lambda: compare(
        cases(30, [1.0] * 10),
        cases(30, lambda at: [1.0] * 10 if at else [1.0] * 9 + [0.0]),
        fail_on=FailOn.REGRESSED,
    ),
    "one flip of three hundred": lambda: compare(*lose(1, 300), fail_on=FailOn.REGRESSED),
    "three that pass again": lambda: compare(cases(3, 1.0), cases(3, 1.0), BOTH),
    "one that passes again": lambda: compare(cases(1, 1.0), cases(1, 1.0), BOTH),
    "seven of eight again": lambda: compare(*[cases(8, lambda at: float(at > 0))] * 2, BOTH),
    "seven of eight, then all": lambda: compare(
        cases(8, lambda at: float(at > 0)), cases(8, 1.0), BOTH
    ),
    "five of five lost": lambda: compare(*lose(5, 5), BOTH),
    "six of a hundred lost": lambda: compare(*lose(6, 100), {"pass_rate": Limit(max_drop=0.05)}),
    "a rise": lambda: compare(
        cases(30, lambda at: float(at >= 12)),
        cases(30, lambda at: float(at >= 2)),
        {"pass_rate": Limit(max_drop=0.1)},
    ),
    "a small drop": lambda: compare(
        cases(300, lambda at: 0.8 + at % 7 / 50),
        cases(300, lambda at: 0.79 + at % 5 / 50),
        {"score": Limit(max_drop=0.05)},
    ),
    "most cheaper, two dearer": lambda: compare(
        cases(30, 1.0),
        cases(30, 1.0),
        COSTS,
        spent=(
            costs(30, lambda at: 1 + at / 10),
            costs(30, lambda at: (1 + at / 10) * (1.8 if at in {14, 15} else 0.7)),
        ),
    ),
    "twelve that cost nothing before": lambda: compare(
        cases(30, 1.0),
        cases(30, 1.0),
        COSTS,
        spent=(
            costs(30, lambda at: 5.0 * (at >= 12)),
            costs(30, lambda at: 4.9 + 0.1 * (at < 12)),
        ),
    ),
    "all cost nothing before": lambda: compare(
        cases(30, 1.0),
        cases(30, 1.0),
        COSTS,
        spent=(costs(30, lambda _: 0.0), costs(30, lambda _: 5.0)),
    ),
    "nothing costs anything": lambda: compare(
        cases(30, 1.0), cases(30, 1.0), COSTS, spent=[costs(30, lambda _: 0.0)] * 2
    ),
    "attempts of unequal number": lambda: compare(
        {"a": [1.0] * 9, "b": [0.0]}, {"a": [1.0], "b": [0.0] * 9}, BOTH
    ),
    "ten new cases that fail": lambda: compare(
        cases(10, 1.0), cases(20, lambda at: float(at < 10)), BOTH
    ),
    "both fell alike": lambda: compare(cases(2, 0.9), cases(2, 0.8)),
    "rounding": lambda: compare(cases(30, 0.1 + 0.2), cases(30, 0.3)),
}
WORDS = {
    "a judge sees 30 of 30 fall": (1, "Not ready to merge: 30 cases regressed."),
    "a collapse behind flaky attempts": (1, "Not ready to merge: 30 cases regressed."),
    "one bad attempt of three hundred": (0, "Ready to merge: all 30 cases passed."),
    "one flip of three hundred": (0, "Can be merged, with care: 1 case regressed."),
    "five of five lost": (1, "Not ready to merge: 2 of 2 gates fail."),
    "twelve that cost nothing before": (1, "Not ready to merge: the gate fails."),
    "all cost nothing before": (1, "Not ready to merge: the gate fails."),
    "most cheaper, two dearer": (0, "Ready to merge: the gate passes."),
    "nothing costs anything": (0, "Ready to merge: the gate passes."),
    "a small drop": (0, "Ready to merge: the gate passes."),
    "a rise": (1, "Not ready to merge: 2 of 30 cases failed."),
}


@cache
def find(name):
    return COMPARISONS[name]()


def say(outcome):
    review = Review(
        scene=Scene(), verdict=outcome.verdict, exit_code=outcome.exit_code, sections=(outcome,)
    )
    return first_line.make_headline(review).sentence


@pytest.mark.parametrize("name", WORDS)
def test_what_a_statistician_would_say_is_said_in_a_sentence(name):
    assert (find(name).exit_code, say(find(name))) == WORDS[name]


@pytest.mark.parametrize("name", COMPARISONS)
def test_no_word_contradicts_a_number(name):
    assert [gate for gate in find(name).gates if contradicts(gate)] == []


SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9, 1.0])
SIDES = st.lists(st.tuples(SCORES, SCORES, st.integers(0, 3), st.integers(0, 3)), max_size=45)
DROPS = st.sampled_from([0.0, 0.02, 0.1, 0.5])


@given(SIDES, DROPS, st.sampled_from([1.0, 1.2, 2.0]))
@settings(deadline=None, max_examples=150)
def test_none_ever_does(sides, drop, ratio):
    limits = {"pass_rate": Limit(max_drop=drop), "score": Limit(max_drop=drop)}
    base, head = ({f"c{at}": one[side] for at, one in enumerate(sides)} for side in (0, 1))
    spent = [costs(len(sides), lambda at, side=side: float(sides[at][side])) for side in (2, 3)]

    outcome = compare(base, head, limits | {"cost": Limit(max_ratio=ratio)}, spent=spent)

    assert [gate for gate in outcome.gates if contradicts(gate)] == []


@given(SIDES, DROPS, st.data())
@settings(deadline=None, max_examples=150)
def test_a_better_case_never_makes_a_gate_worse(sides, drop, data):
    limits = {"pass_rate": Limit(max_drop=drop), "score": Limit(max_drop=drop)}
    base, head = ({f"c{at}": one[side] for at, one in enumerate(sides)} for side in (0, 1))
    better = dict(head)
    for name in head and data.draw(st.sets(st.sampled_from(sorted(head)), max_size=3)):
        better[name] = data.draw(st.sampled_from([s for s in (0.5, 1.0) if s >= head[name]]))

    before, after = (compare(base, now, limits) for now in (head, better))

    for was, now in zip(before.gates, after.gates, strict=True):
        assert weigh(now) <= weigh(was)


def weigh(gate):
    return 2 * gate.fails + gate.warns


def contradicts(gate: Gate) -> list[str]:
    """List what a row says that cannot be true together."""
    if gate.difference is None or not gate.pairs:
        return []
    low, high = (gate.interval.low, gate.interval.high) if gate.interval else (-math.inf, math.inf)
    wrong = {
        "the difference is not in its interval": not low - 1e-9 <= gate.difference <= high + 1e-9,
        "the interval has no width": high - low < 1e-9,
        "it is not that of both sides": not gate.paired and not is_that_of_both_sides(gate),
        "it has changed": gate.change is Change.UNCHANGED and (gate.better or gate.worse),
        "no limit is broken": gate.fails and gate.change is not Change.REGRESSED,
        "the interval says otherwise": not fits_interval(gate),
    }
    return [what for what, is_wrong in wrong.items() if is_wrong]


def is_that_of_both_sides(gate):
    was, now = gate.base.value, gate.head.value
    if not gate.is_ratio:
        return math.isclose(now - was, gate.difference, abs_tol=1e-9)
    return math.isclose(now, gate.difference * was, rel_tol=1e-9) or was == now == 0


def fits_interval(gate):
    sign = -1 if gate.is_ratio else 1  # so that more is better
    none, known = sign * float(gate.is_ratio), isinstance(gate.margin, float)
    limit = -gate.margin if known else none
    low, high = orient(gate)
    answers = {
        Change.REGRESSED: high < limit,
        Change.IMPROVED: low > none,
        Change.KEPT: low >= limit,
        Change.EQUIVALENT: low >= limit,
        Change.UNDERPOWERED: low < limit,
    }
    return answers.get(gate.change, True)


def orient(gate):
    """The ends of the interval, so that more is better; those of nothing known are far away."""
    if gate.interval is None:
        return (-math.inf, -math.inf if gate.change is Change.REGRESSED else math.inf)
    ends = (gate.interval.low, gate.interval.high)
    return (-ends[1], -ends[0]) if gate.is_ratio else ends


def test_a_case_that_nobody_can_tell_of_is_what_the_policy_makes_of_it():
    policy = Policy(limits=BOTH, on_inconclusive=Unsure.FAIL)
    outcome = against(run(cases(3, 1.0), policy=policy), run(cases(3, 1.0), policy=policy))

    assert outcome.verdict is Verdict.FAIL
