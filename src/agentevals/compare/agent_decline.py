"""Has the agent got worse? One decision for the whole run, with a chance of a false alarm.

Every case that fell counts, whoever judged it, but for those that somebody answers for. How much
depends on what is known of its noise: its attempts in this run and on the base, and earlier runs of
the base. The same recording has no noise at all.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from agentevals.compare.case_pairs import Pair
from agentevals.compare.figures import Measured
from agentevals.compare.highlights import Side
from agentevals.compare.statistics import significance, statistical_power
from agentevals.compare.statistics.significance import Singles, Table, fell_together
from agentevals.compare.statistics.statistics_inputs import Part, cut_digits
from agentevals.compare.statistics.subset_bounds import Subsets
from agentevals.model.outcome import Standing, Unit
from agentevals.model.results import Decline

FALSE_ALARMS = 0.05  # of all pull requests that change nothing
FLIP = 0.2  # of the runs of a case of which nothing is known may fail by chance
_FEW = 10  # cases; the flips of fewer tell too little of their noise


@dataclass(frozen=True)
class _Moved:
    """A case on both sides, by the evaluators by which they judge alike."""

    pair: Pair
    was: Standing
    now: Standing
    is_fact: bool  # the same recording, judged by nothing that has moods

    @property
    def rise(self) -> float:
        return self.now.passed / self.now.runs - self.was.passed / self.was.runs

    @property
    def earlier(self) -> str:
        return self.pair.base[0].earlier

    @property
    def is_single(self) -> bool:
        """True if nothing is known of its noise: one run on either side, and none before."""
        return self.was.runs == self.now.runs == 1 and not self.earlier

    def count(self) -> Table:
        """Return its runs, with those of earlier runs of the base."""
        return Table(
            self.was.passed + self.earlier.count("p"),
            self.was.runs - self.was.passed + self.earlier.count("f"),
            self.now.passed,
            self.now.runs - self.now.passed,
        )


def find_decline(
    sides: Iterable[Side], rows: Sequence[Measured], judged: frozenset[str], alpha: float
) -> Decline:
    """Decide by the cases of both sides, and by the figures over them."""
    moved = [_Moved(*side, is_fact=_is_replay(side.pair, judged)) for side in sides]
    facts = sum(one.is_fact and one.rise < 0 for one in moved)
    by_cases = _test_cases([one for one in moved if not one.is_fact])
    by_figures = _test_figures(rows)
    either = by_cases if by_figures is None else 2 * min(by_cases, by_figures)
    p_value = cut_digits(min(1.0, either))
    of_cases = alpha if by_figures is None else alpha / 2
    return Decline(
        p_value=p_value,
        alpha=alpha,
        fell=sum(one.rise < 0 for one in moved),
        rose=sum(one.rise > 0 for one in moved),
        facts=facts,
        proven=facts > 0 or p_value <= alpha,
        detectable=_find_detectable(moved, of_cases),
    )


def _find_detectable(moved: Sequence[_Moved], alpha: float) -> float | msgspec.UnsetType | None:
    """Return how small a drop of the pass rate is likely to be found, as noisy as the cases are.

    Not said of attempts and families, whose noise is not that of flips.
    """
    single = all(one.was.runs == one.now.runs == 1 and not one.pair.family for one in moved)
    if not single or not moved:
        return msgspec.UNSET
    # as many as flip either way may do so by chance; what falls beyond that is a drop
    noise = 2 * min(sum(one.rise > 0 for one in moved), sum(one.rise < 0 for one in moved))
    test = statistical_power.SignTest(alpha=alpha, few=_FEW, flip=FLIP)
    return statistical_power.find_detectable_drop(len(moved), noise, test)


def _is_replay(pair: Pair, judged: frozenset[str]) -> bool:
    """Return whether both sides judged the same recordings, and by nothing that has moods."""
    recordings = {case.recording for case in pair.base}
    same = "" not in recordings and recordings == {case.recording for case in pair.head}
    return same and judged.isdisjoint(name for case in pair.head for name in case.outcomes)


def _test_cases(moved: Sequence[_Moved]) -> float:
    """Return how likely it is by chance that so many cases fell, and so few rose."""
    families = Counter(one.pair.family or one.pair.case_id for one in moved)
    if len(families) == len(moved):
        few = len(moved) < _FEW
        taken = [one for one in moved if few and one.is_single and one.was.passed]
        singles = Singles(len(taken), sum(not one.now.passed for one in taken), FLIP)
        others = [one for one in moved if one not in taken]
        return fell_together((one.count() for one in others), singles)
    rises: dict[str, float] = dict.fromkeys(families, 0.0)
    for one in moved:
        rises[one.pair.family or one.pair.case_id] += one.rise
    changed = [Part(rise) for rise in rises.values() if rise]
    return Subsets(changed).doubt_below(0.0) if changed else 1.0


def _test_figures(rows: Sequence[Measured]) -> float | None:
    """Return how likely a score falls so far by chance; None if none says more than the cases.

    If nothing has changed, base and head could as well be exchanged: the sign-flip test.
    """
    told = {row.difference.shape for row in rows if row.unit is Unit.SHARE and row.difference}
    asked = {
        row.difference.shape: row.difference
        for row in rows
        if row.unit is Unit.SCORE and row.difference and any(row.difference.changes)
    }
    others = [Subsets(found.parts) for data, found in asked.items() if data not in told]
    return min(significance.holm([one.doubt_below(0.0) for one in others]), default=None)
