"""Whether a drop is found as often as the page says, and a limit kept with as many cases."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

from agentevals.compare.figure_changes import Question
from agentevals.compare.gate_table import find_needed_cases
from agentevals.model.outcome import Change
from agentevals.model.policy import Limit
from tests.simulate import amounts, rates, scores
from tests.simulate.agents import Agent, PullRequest
from tests.simulate.limits import judge
from tests.simulate.promises import FEWER, LARGE, Cell, Promise
from tests.simulate.pull_requests import Drawn, measure_figure

DROPS, NEEDS = "drops", "cases that would decide"
_MOST = 2000  # cases; more take too long
_ENOUGH = 10  # cases; the noise of fewer is not known, and adds to a drop

FOUND = Promise(
    "power", "the drop that the page names is found in about 8 of 10 runs: in 70 % or more",
    "found", least=0.7,
)  # fmt: skip
NOT_MORE = Promise(
    "power, not more", "from 10 cases on it is found in 90 % of runs or fewer", "found", most=0.9,
)  # fmt: skip
DECIDES = Promise(
    "needed cases", "with as many cases as the page says would decide, a limit is kept in 8 of 10 "
    "runs that change nothing, or more", "kept", least=0.8,
)  # fmt: skip


def list_cells() -> Iterator[Cell]:
    """Yield agents and figures in several sizes."""
    for noise in (0.0, 0.05, 0.1, 0.2):
        for size in (5, 10, 30, 100, 300):
            trial = partial(_find_drop, noise, size)
            share = FEWER if size >= LARGE else 1.0
            promises = (FOUND, NOT_MORE) if size >= _ENOUGH else (FOUND,)
            yield Cell(
                DROPS, f"{noise * 100:g} % of the runs fail", size, trial, promises, share=share
            )
    for name, figure, limit, one in _list_figures():
        for size in (10, 30, 100):
            trial = partial(_follow_advice, figure, limit, one, size)
            yield Cell(NEEDS, name, size, trial, (DECIDES,), share=FEWER)


def _find_drop(noise: float, size: int, random: Random) -> dict[str, bool]:
    """Take the drop that is named beside a run that changes nothing, and look for it in another."""
    agent = Agent(noise)
    named = PullRequest(agent.run(random, size)).decide().detectable
    if not named:
        return {"named": False}
    worse = replace(agent, drop=min(1.0, named / (1 - noise)))
    found = PullRequest(worse.run(random, size)).decide().proven
    return {"named": True, "found": found}


_One = Callable[[Random], Drawn]


def _list_figures() -> Iterator[tuple[str, str, Limit, _One]]:
    runs = partial(rates.draw_runs, 0.95, 0.95)
    yield "pass rate, 5 pp", "pass_rate", Limit(max_drop=0.05), runs
    steady = partial(rates.draw_broken, 0.0)
    yield "pass rate, 5 pp, nothing flips", "pass_rate", Limit(max_drop=0.05), steady
    attempts = partial(rates.draw_attempts, 3, 0.9, 0.9)
    yield "pass rate, 5 pp, 3 attempts", "pass_rate", Limit(max_drop=0.05), attempts
    noise = partial(scores.draw_noise, 0.0, 0.1)
    yield "score, 0.03", "score", Limit(max_drop=0.03), noise
    cost = partial(amounts.draw_amount, 1.0, 0.5, 0.3)
    yield "cost, x1.2", "cost", Limit(max_ratio=1.2), cost
    yield "latency, x1.2", "latency", Limit(max_ratio=1.2), cost


def _follow_advice(
    figure: str, limit: Limit, one: _One, size: int, random: Random
) -> dict[str, bool]:
    """Where a run cannot tell, do as it says: judge another one with so many cases."""
    row = measure_figure(figure, [one(random) for _ in range(size)])
    needed = find_needed_cases(Question(row, limit))
    if judge(row, limit).change is not Change.UNDERPOWERED or needed is None:
        return {"told": False}
    most = needed[1]
    if most > _MOST:
        return {"told": True, "too many": True}
    again = judge(measure_figure(figure, [one(random) for _ in range(most)]), limit)
    kept = not again.fails and again.change is not Change.UNDERPOWERED
    return {"told": True, "too many": False, "kept": kept}
