"""How often a limit is called broken, or kept, where the true change is at it or near it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from agentevals.compare.figures import Measured
from agentevals.compare.gate_table import judge_gates
from agentevals.model.outcome import Against, Change, Gate
from agentevals.model.policy import Limit, Policy
from tests.simulate import amounts, rates, scores
from tests.simulate.promises import FEWER, LARGE, Cell, Promise
from tests.simulate.pull_requests import Drawn, measure_figure

GROUP = "limits"
SIZES = (5, 10, 30, 100, 300)
_KEPT = frozenset({Change.KEPT, Change.EQUIVALENT, Change.IMPROVED})
_NEAR = 0.9

PROMISES = (
    Promise(
        "false break", "a change that is at its limit is called broken in 5 % of runs or fewer",
        "broken at", most=0.05,
    ),
    Promise(
        "false break within", "a change of 0.9 of its limit is called broken in 5 % of runs or "
        "fewer", "broken below", most=0.05,
    ),
    Promise(
        "false keep", "a change that is at its limit is called kept in 5 % of runs or fewer",
        "kept at", most=0.05,
    ),
    Promise(
        "false keep beyond", "a change of twice its limit is called kept in 5 % of runs or fewer",
        "kept beyond", most=0.05,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Changed:
    """A figure that has truly changed: fallen by a difference, or risen to a ratio."""

    name: str
    figure: str
    change: float
    one: Callable[[Random], Drawn]

    def limit_at(self, share: float) -> Limit:
        """Return the limit of which the change is this share."""
        if self.figure in {"cost", "tokens", "latency"}:
            return Limit(max_ratio=1 + (self.change - 1) / share)
        return Limit(max_drop=self.change / share)


def _list_changed() -> Iterator[Changed]:
    for drop in (0.02, 0.05, 0.1):
        points = f"pass rate, {drop * 100:g} pp"
        some = partial(rates.draw_runs, 0.95, 0.95 - drop)
        yield Changed(f"{points}, any case may fail", "pass_rate", drop, some)
        few = partial(rates.draw_broken, drop)
        yield Changed(f"{points}, some cases break", "pass_rate", drop, few)
        half = partial(rates.break_half, drop)
        yield Changed(f"{points}, half pass", "pass_rate", drop, half)
        often = partial(rates.draw_attempts, 3, 0.95, 0.95 - drop)
        yield Changed(f"{points}, 3 attempts", "pass_rate", drop, often)
    for drop in (0.03, 0.05):
        noise = partial(scores.draw_noise, -drop, 0.1)
        yield Changed(f"score, {drop:g}, noise", "score", drop, noise)
        lost = partial(scores.draw_losses, drop / 0.6)
        yield Changed(f"score, {drop:g}, some cases lose much", "score", drop, lost)
    amount = partial(amounts.draw_amount, 1.2, 0.5, 0.3)
    yield Changed("cost, x1.2, noise 0.3", "cost", 1.2, amount)
    growing = partial(amounts.draw_growing, 1.2)
    yield Changed("cost, x1.2, one case in ten grows", "cost", 1.2, growing)
    slower = partial(amounts.draw_amount, 1.5, 0.5, 0.4)
    yield Changed("latency, x1.5, noise 0.4", "latency", 1.5, slower)


def list_cells() -> Iterator[Cell]:
    """Yield every change in every size."""
    for one in _list_changed():
        for size in SIZES:
            share = FEWER if size > LARGE else 1.0
            yield Cell(GROUP, one.name, size, partial(_try, one, size), PROMISES, share=share)


def _try(changed: Changed, size: int, random: Random) -> dict[str, bool]:
    row = measure_figure(changed.figure, [changed.one(random) for _ in range(size)])
    at = judge(row, changed.limit_at(1))
    found = {"broken at": at.fails, "kept at": at.change in _KEPT}
    if random.random() < FEWER:
        below, beyond = (judge(row, changed.limit_at(share)) for share in (_NEAR, 2))
        found |= {"broken below": below.fails, "kept beyond": beyond.change in _KEPT}
    return found


def judge(row: Measured, limit: Limit) -> Gate:
    """Return the gate of a row with its limit."""
    (gate,) = judge_gates([row], Policy(limits={row.figure: limit}), Against())
    return gate
