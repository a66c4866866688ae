"""What became of a figure since the base: one word, by the limit of its change.

The word, the interval and the p value come of one estimate, and so cannot contradict each other.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

from agentevals.compare.figure_differences import RATIOS
from agentevals.compare.figures import Measured
from agentevals.compare.statistics import significance
from agentevals.compare.statistics.statistics_inputs import SHARE, cut_digits
from agentevals.model.outcome import Change, Interval
from agentevals.model.plugins import Lazy
from agentevals.model.policy import Limit

if TYPE_CHECKING:
    from agentevals.compare.statistics import difference_bounds
else:  # a run without a base has no differences
    difference_bounds = Lazy("agentevals.compare.statistics.difference_bounds")

FEWEST = 5  # pairs below which counts say more than an interval
_LEAST = 3  # pairs below which not even that all of them fell is sure
ALPHA = 2 * SHARE


@dataclass(frozen=True)
class Question:
    """Has a figure got worse, by more than its limit allows if there is one?"""

    row: Measured
    limit: Limit

    @property
    def is_ratio(self) -> bool:
        return self.row.unit in RATIOS

    @property
    def margin(self) -> float | None:
        """The worst difference that is allowed, or ratio; None without a limit."""
        drop = self.limit.max_drop
        if self.is_ratio:
            return self.limit.max_ratio
        return None if drop is None else -drop

    @cached_property
    def interval(self) -> Interval | None:
        """None below five pairs, and where nothing bounds the difference."""
        if self.row.difference is None or self.row.pairs < FEWEST:
            return None
        found = difference_bounds.make_interval(self.row.difference.estimate)
        return Interval(*map(cut_digits, found)) if isfinite(found.high) else None

    @cached_property
    def p_value(self) -> float:
        """The two-sided p value of "the limit is kept"; without a limit, of "nothing changed"."""
        if self.row.pairs < (FEWEST if self.is_ratio else _LEAST):
            return 1.0
        worse = self._doubt_worse
        return min(1.0, 2 * (worse if self.margin is not None else min(worse, self._doubt_better)))

    def answer(self, p_value: float) -> Change:
        """Return the word, given the p value as adjusted for all questions of its kind.

        A limit is broken where that is sure, and kept where the whole interval keeps it.
        """
        if self.margin is None:
            return self._describe(p_value)
        if p_value <= ALPHA:
            return Change.REGRESSED
        if not self._is_above(self.margin):
            return Change.UNDERPOWERED
        if self._is_above(self._nothing, strictly=True):
            return Change.IMPROVED
        return Change.EQUIVALENT if self._is_within else Change.KEPT

    def _describe(self, p_value: float) -> Change:
        difference = self.row.difference
        if difference is None or not any(difference.changes):
            return Change.UNCHANGED
        if p_value > ALPHA:
            return Change.INCONCLUSIVE
        return Change.REGRESSED if self._doubt_worse < self._doubt_better else Change.IMPROVED

    @property
    def _nothing(self) -> float:
        return 1.0 if self.is_ratio else 0.0

    @cached_property
    def _doubt_worse(self) -> float:
        """Return the p value of "it is not worse than the margin"."""
        if self.row.difference is None:
            return 1.0
        estimate, limit = self.row.difference.estimate, self._nothing
        limit = limit if self.margin is None else self.margin
        return estimate.doubt_above(limit) if self.is_ratio else estimate.doubt_below(limit)

    @cached_property
    def _doubt_better(self) -> float:
        if self.row.difference is None:
            return 1.0
        estimate = self.row.difference.estimate
        return estimate.doubt_below(1.0) if self.is_ratio else estimate.doubt_above(0.0)

    def _is_above(self, limit: float, *, strictly: bool = False) -> bool:
        """Return whether the whole interval is on the good side of a limit."""
        if self.interval is None:
            return False
        if self.is_ratio:
            return self.interval.high < limit or (self.interval.high == limit and not strictly)
        return self.interval.low > limit or (self.interval.low == limit and not strictly)

    @property
    def _is_within(self) -> bool:
        """Return whether the interval is on the good side of the limit's mirror image, too."""
        if self.interval is None or self.margin is None:
            return False
        if self.is_ratio:
            return self.interval.low >= 1 / self.margin
        return self.interval.high <= -self.margin


def adjust(asked: Sequence[Question], configs: int = 1) -> list[float]:
    """Return the p values of all questions, each adjusted for how many there are of its kind.

    Those that can fail the run must hardly ever do so by chance (Holm), nor one of any config of
    several; of those that are only shown, few that stand out may do so by chance (Benjamini and
    Hochberg); there, what has not changed at all asks nothing. Figures with the same changes ask
    one question, and count once.
    """
    limited = [one for one in asked if one.margin is not None and one.row.difference]
    shown = [one for one in asked if one.margin is None and any(_list_changes(one))]
    factors = {
        **{data: one * configs for data, one in _find_factors(limited, significance.holm).items()},
        **_find_factors(shown, significance.benjamini_hochberg),
    }
    return [min(1.0, one.p_value * factors.get(_identify(one), 1.0)) for one in asked]


_Adjust = Callable[[Sequence[float]], list[float]]
_Data = tuple[bool, bool, tuple[float, ...]]


def _find_factors(asked: Iterable[Question], adjust_all: _Adjust) -> dict[_Data, float]:
    """Return by how much the p values of a question grow with the number of the others."""
    least: dict[_Data, float] = {}
    for one in asked:
        data = _identify(one)
        least[data] = min(least.get(data, 1.0), one.p_value)
    adjusted = zip(least.items(), adjust_all(list(least.values())), strict=True)
    return {data: found / p if p else len(least) for (data, p), found in adjusted}


def _identify(question: Question) -> _Data:
    difference = question.row.difference
    if question.margin is not None or difference is None:
        return False, question.is_ratio, _list_changes(question)
    return True, question.is_ratio, difference.shape


def _list_changes(question: Question) -> tuple[float, ...]:
    return question.row.difference.changes if question.row.difference else ()
