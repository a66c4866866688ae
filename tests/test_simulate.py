"""The simulation notices what is wrong, does not cry without a reason, and tries the product."""

import subprocess
import sys
from functools import partial
from math import comb
from random import Random

import pytest

from agentevals.model.outcome import FailOn
from agentevals.model.policy import Limit, Policy
from tests.compare.runs import against, report, result
from tests.compare.runs import case as make_case
from tests.simulate import coverage, scores, tables
from tests.simulate.__main__ import list_cells
from tests.simulate.agents import Agent, PullRequest
from tests.simulate.promises import BAD_LUCK, Cell, Promise, find_broken, find_tail, try_cell
from tests.support import DOCS

HOLDS = Promise("holds", "it holds in 94 % of runs or more", "held", least=0.94)
RARE = Promise("rare", "it happens in 5 % of runs or fewer", "seen", most=0.05)


def happen(event, chance, random):
    return {event: random.random() < chance}


def cell(promise, chance):
    return Cell("group", promise.name, 5, partial(happen, promise.event, chance), (promise,))


@pytest.mark.parametrize(
    ("promise", "chance", "is_broken"),
    [
        (HOLDS, 0.95, False),
        (HOLDS, 0.94, False),
        (HOLDS, 0.92, True),
        (RARE, 0.0, False),
        (RARE, 0.05, False),
        (RARE, 0.065, True),
    ],
)
def test_a_promise_is_broken_where_chance_does_not_explain_it(promise, chance, is_broken):
    seen = try_cell(cell(promise, chance), "1", 1000)

    assert bool(find_broken([seen])) is is_broken


def test_the_more_there_is_to_try_the_more_a_cell_may_miss_by_chance():
    bad = try_cell(cell(HOLDS, 0.85), "1", 30)
    good = try_cell(cell(HOLDS, 1.0), "1", 30)
    doubt = HOLDS.doubt(bad.held["held"], bad.tried["held"])
    enough = int(BAD_LUCK / doubt) + 2

    assert find_broken([bad])
    assert not find_broken([bad, *[good] * enough])


def test_only_a_cell_that_looks_broken_is_tried_more_often():
    runs = [try_cell(cell(HOLDS, chance), "1", 100).tried["held"] for chance in (1.0, 0.5)]

    assert runs == [100, 800]


@pytest.mark.parametrize(("count", "of", "share"), [(0, 9, 0.3), (4, 9, 0.3), (9, 9, 0.3)])
def test_the_tail_of_a_binomial_is_the_sum_of_its_chances(count, of, share):
    chances = [comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(count, of + 1)]

    assert find_tail(count, of, share) == pytest.approx(sum(chances))


def test_the_same_seed_gives_the_same_runs_and_another_one_others():
    (one,) = (found for found in coverage.list_cells() if found.name == "coverage: normal, 5 cases")
    found = [dict(try_cell(one, seed, 20).held) for seed in ("1", "1", "2")]

    assert found[0] == found[1] != found[2]


def test_cells_have_names_of_their_own_and_try_every_promise():
    cells = list(list_cells())

    assert len({one.name for one in cells}) == len(cells)
    assert {promise for one in cells for promise in one.promises} == set(tables.PROMISES)


@pytest.mark.parametrize("population", scores.POPULATIONS, ids=lambda one: one.name)
def test_the_true_difference_of_scores_is_that_of_many_cases(population):
    changes = [now - was for (was,), (now,), _ in population.draw(Random(1), 60_000)]

    assert sum(changes) / len(changes) == pytest.approx(population.truth, abs=0.002)


LIMITS = Policy(limits={"pass_rate": Limit(max_drop=0.1), "score": Limit(max_drop=0.02)})


@pytest.mark.parametrize("policy", [Policy(), LIMITS], ids=["no limits", "limits"])
@pytest.mark.parametrize("agent", [Agent(0.2, drop=0.1), Agent(0.3, 3, drop=0.1, graders=1)])
def test_pairs_are_judged_as_whole_runs_are(agent, policy):
    random = Random(1)
    for size in (4, 12, 40):
        changed = PullRequest(agent.run(random, size), policy)
        whole = against(
            rebuild(changed, "head"), rebuild(changed, "base"), fail_on=FailOn.REGRESSED
        )

        assert changed.decide() == whole.decline
        assert [(gate.figure, gate.change, gate.fails) for gate in changed.judge()] == [
            (gate.figure, gate.change, gate.fails) for gate in whole.gates
        ]


def rebuild(changed, side):
    """A whole run of the attempts of one side."""
    cases = [
        make_case(
            pair.case_id,
            *(result(name, one.score) for name, one in attempt.outcomes.items()),
            policy=changed.policy,
        )
        for pair in changed.pairs
        for attempt in getattr(pair, side)
    ]
    return report(cases, policy=changed.policy)


def test_the_last_line_says_that_every_promise_is_kept():
    words = ("--runs", "20", "--only", "coverage: normal, 10 cases")
    command = [sys.executable, "-m", "tests.simulate", *words]
    done = subprocess.run(
        command, cwd=DOCS.parent, capture_output=True, encoding="utf-8", check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "every promise is kept"
