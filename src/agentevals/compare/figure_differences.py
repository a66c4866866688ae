"""How a figure differs between the two sides, over the cases that are on both.

The difference, what is known of it and what is printed are of one quantity: for shares and scores
the difference of the means, for cost and tokens the ratio of the means (which is that of the
totals), for latency the geometric mean of the ratios. The mean of its attempts stands for a case.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, fsum, isfinite, log
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from agentevals.compare.statistics.statistics_inputs import Part
from agentevals.model.outcome import Unit
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from agentevals.compare.statistics import difference_bounds as bounds
else:  # a run without a base has no differences
    bounds = Lazy("agentevals.compare.statistics.difference_bounds")

RATIOS = frozenset({Unit.MONEY, Unit.TOKENS, Unit.MILLISECONDS})
_DIGITS = 12  # what is left behind them of subtracting equal scores is no difference
_SHORTEST = 1.0  # milliseconds; less cannot be told from it


class Values(NamedTuple):
    """The value of one case on the base and on the head.

    Cases of one `family` are not independent. Without a name it is a family of its own.
    """

    was: float
    now: float
    family: str = ""


@dataclass(frozen=True)
class Difference:
    """The difference of a figure over some cases; of amounts it is a ratio.

    It is one of `flips` if each case passed or failed once on either side.
    """

    unit: Unit
    cases: Sequence[Values]
    flips: bool = False

    @property
    def value(self) -> float | None:
        """None if it cannot be written: something against nothing."""
        if self.unit not in RATIOS:
            return fsum(case.now - case.was for case in self.cases) / len(self.cases)
        was = find_mean([case.was for case in self.cases], self.unit)
        now = find_mean([case.now for case in self.cases], self.unit)
        if was == now:
            return 1.0
        return now / was if was and isfinite(now / was) else None

    @cached_property
    def changes(self) -> tuple[float, ...]:
        return tuple(round(case.now - case.was, _DIGITS) for case in self.cases)

    @cached_property
    def shape(self) -> tuple[float, ...]:
        """The changes relative to the largest: figures with the same shape ask one question."""
        largest = max(map(abs, self.changes)) or 1.0
        return tuple(round(change / largest, _DIGITS // 2) for change in self.changes)

    @property
    def is_ratio_of_sums(self) -> bool:
        return self.unit in RATIOS and self.unit is not Unit.MILLISECONDS

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Return what each family of cases adds to the sums that make the difference."""
        if self.unit is Unit.MILLISECONDS:
            return self._add_up(Part(log(_floor(c.now)) - log(_floor(c.was))) for c in self.cases)
        if self.is_ratio_of_sums:
            return self._add_up(Part(case.now, case.was) for case in self.cases)
        return self._add_up(map(Part, self.changes))

    @property
    def counts_flips(self) -> bool:
        """True if its interval is that of shares of cases."""
        return self.flips and self._is_alone

    @property
    def _is_alone(self) -> bool:
        """True if each case is a family of its own."""
        return len(self.parts) == len(self.cases)

    @cached_property
    def estimate(self) -> "bounds.Estimate":
        """The difference that other cases of the same kind may have."""
        if self.unit is Unit.MILLISECONDS:
            return bounds.estimate_typical_ratio(self.parts)
        if self.unit in RATIOS:
            return bounds.estimate_ratio(self.parts)
        sides = [(case.was, case.now) for case in self.cases]
        if self.counts_flips:
            return bounds.count_flips(sides)
        low, high = min(map(min, sides)), max(map(max, sides))
        reach = max(1.0, high - low)
        found = bounds.estimate_mean_difference(self.parts, reach)
        if not self._is_alone or low < 0 or high > 1:
            return found
        return bounds.Joined(found, bounds.estimate_scores(sides), narrower=True)

    def _add_up(self, parts: Iterable[Part]) -> tuple[Part, ...]:
        """Return one part for each family."""
        found: list[Part] = []
        places: dict[str, int] = {}
        for case, part in zip(self.cases, parts, strict=True):
            place = places.setdefault(case.family, len(found)) if case.family else len(found)
            if place == len(found):
                found.append(part)
            else:
                found[place] = Part(*map(sum, zip(found[place], part, strict=True)))
        return tuple(found)


def find_mean(values: Collection[float], unit: Unit) -> float:
    """Return the mean; of times the geometric one, so that a slow case is one of many."""
    if unit is not Unit.MILLISECONDS:
        return fmean(values)
    return exp(fsum(log(_floor(value)) for value in values) / len(values))


def _floor(time: float) -> float:
    return max(_SHORTEST, time)
