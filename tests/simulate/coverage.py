"""How often the printed interval holds the true value, and that of Student's t would have."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil, fsum, log, sqrt
from random import Random

from agentevals.compare.figure_changes import Question
from agentevals.compare.figure_differences import Difference
from agentevals.model.outcome import Unit
from agentevals.model.policy import Limit
from tests.simulate import amounts, rates, scores
from tests.simulate.populations import FAMILY, FEW, Population
from tests.simulate.promises import FEWER, LARGE, Cell, Promise
from tests.simulate.pull_requests import measure_figure

GROUP = "coverage"
SIZES = (5, 8, 10, 15, 30, 60, 100, 300)
MANY = 40  # cases from which on an interval of ordinary values has no reason to be wide
_NEAR = 1e-9

HOLDS = Promise(
    "coverage", "a printed 95 % interval holds the true value in 94 % of runs or more",
    "covered", least=0.94,
)  # fmt: skip
NARROW = Promise(
    "width", "from 40 cases on, and for values that are neither few, skewed nor rarely changed, "
    "it does so in 96 % of runs or fewer: it is no wider than it has to be",
    "covered", most=0.96,
)  # fmt: skip

# Student's t: the 97.5 % quantile by the degrees of freedom.
_T = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 9: 2.262, 14: 2.145,
    19: 2.093, 29: 2.045, 33: 2.035, 59: 2.001, 99: 1.984, 299: 1.968,
}  # fmt: skip


def list_cells() -> Iterator[Cell]:
    """Yield every population in every size."""
    for one in (*rates.POPULATIONS, *scores.POPULATIONS, *amounts.POPULATIONS):
        for size in SIZES:
            reason = one.reason or explain_width(one, size)
            promises = (HOLDS,) if reason else (HOLDS, NARROW)
            share = FEWER if size > LARGE else 1.0
            trial = partial(_try, one, size)
            yield Cell(GROUP, one.name, size, trial, promises, reason, share)


def explain_width(population: Population, size: int) -> str:
    """Return why an interval is wide whose values are not: families count, and not cases."""
    families = ceil(size / FAMILY) if population.has_families else size
    return "" if families >= MANY else FEW


def _try(population: Population, size: int, random: Random) -> dict[str, bool]:
    row = measure_figure(population.figure, population.draw(random, size))
    interval, truth = Question(row, Limit()).interval, population.truth
    found = {"printed": interval is not None}
    if interval is not None:
        found["covered"] = interval.low - _NEAR <= truth <= interval.high + _NEAR
    if row.difference is not None:
        found["t"] = _holds_by_t(row.difference, truth)
    return found


def _holds_by_t(difference: Difference, truth: float) -> bool:
    """Return whether Student's interval would hold it: of a ratio by its linear approximation."""
    if difference.unit is Unit.MILLISECONDS:
        truth = log(truth)
    parts = difference.parts
    bottom = fsum(part.bottom for part in parts)
    value = fsum(part.top for part in parts) / bottom if bottom else 0.0
    errors = [part.top - value * part.bottom for part in parts]
    return abs(value - truth) * bottom <= _quantile(len(parts) - 1) * _spread(errors)


def _spread(errors: Sequence[float]) -> float:
    """Return the standard error of their sum."""
    number = len(errors)
    return sqrt(number * fsum(error * error for error in errors) / (number - 1))


def _quantile(freedom: int) -> float:
    return _T[max(known for known in _T if known <= freedom)]
