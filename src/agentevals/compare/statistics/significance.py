"""Fisher's exact test: did a share fall, or could the runs as well have been dealt otherwise?

Of many tests at once the p values are adjusted for how many there are, in the order they came in.
"""

from collections.abc import Iterable, Sequence
from math import exp, fsum, lgamma, sqrt
from statistics import NormalDist
from typing import NamedTuple

from agentevals.compare.statistics.statistics_inputs import finite, require_counts


def fell(base_passed: int, base_failed: int, head_passed: int, head_failed: int) -> float:
    """The one-sided p value of "the head passes less often": how likely it is by chance alone.

    Given how many runs passed on both sides together, it is the chance that as few of them, or
    fewer, belong to the head.
    """
    require_counts(
        base_passed=base_passed,
        base_failed=base_failed,
        head_passed=head_passed,
        head_failed=head_failed,
    )
    passed, failed = base_passed + head_passed, base_failed + head_failed
    head = head_passed + head_failed
    ways = _ways(passed + failed, head)
    as_few = (
        exp(_ways(passed, number) + _ways(failed, head - number) - ways)
        for number in range(max(0, head - failed), head_passed + 1)
    )
    return min(1.0, fsum(as_few))


class Table(NamedTuple):
    """The runs of one case: how many passed and failed on either side."""

    base_passed: int
    base_failed: int
    head_passed: int
    head_failed: int

    @property
    def head(self) -> int:
        return self.head_passed + self.head_failed

    @property
    def passed(self) -> int:
        return self.base_passed + self.head_passed

    @property
    def runs(self) -> int:
        return sum(self)

    @property
    def varies(self) -> bool:
        """True if its passes could be dealt in more than one way."""
        require_counts(**self._asdict())
        return 0 < self.head < self.runs and 0 < self.passed < self.runs


_EXACT = 400  # runs of the head; with more, the sum is as good as normal


class Singles(NamedTuple):
    """Cases that passed in a single run, of which some failed in the next one.

    Each may fail by chance with the probability of a `flip`.
    """

    cases: int = 0
    failed: int = 0
    flip: float = 0.0


_NO_SINGLES = Singles()


def fell_together(tables: Iterable[Table], singles: Singles = _NO_SINGLES) -> float:
    """The one-sided p value of "cases pass less often", over all of them together.

    Given how many runs of each case passed on both sides, its passes in the head are hypergeometric
    if nothing changed. Their sum is looked at: the exact stratified test, and for many runs the
    statistic of Mantel and Haenszel. Of single runs it is the sign test of the cases that flipped.
    `singles` are those whose chance to flip is known.
    """
    return _find_tails(tables, singles)[0]


def compare_all(tables: Iterable[Table]) -> float:
    """The two-sided p value of "cases pass more, or less, often", over all of them together."""
    return min(1.0, 2 * min(_find_tails(tables, _NO_SINGLES)))


def _find_tails(tables: Iterable[Table], singles: Singles) -> tuple[float, float]:
    """Return how likely as few passes in the head are by chance, and as many."""
    varying = [table for table in tables if table.varies]
    seen = sum(table.head_passed for table in varying)
    if sum(table.head for table in varying) > _EXACT:
        return _estimate(varying, seen, singles)
    chances = [1.0]
    for table in varying:
        chances = _add(chances, _list_chances(table))
    for _ in range(singles.cases):
        chances = _add(chances, [singles.flip, 1 - singles.flip])
    seen += singles.cases - singles.failed
    return min(1.0, fsum(chances[: seen + 1])), min(1.0, fsum(chances[seen:]))


def _list_chances(table: Table) -> list[float]:
    """Return the chance of 0, 1, 2 … passes in the head."""
    failed, ways = table.runs - table.passed, _ways(table.runs, table.head)
    return [
        exp(_ways(table.passed, number) + _ways(failed, table.head - number) - ways)
        if number <= table.passed and table.head - number <= failed
        else 0.0
        for number in range(table.head + 1)
    ]


def _add(one: list[float], other: list[float]) -> list[float]:
    """Return the chances of the sum of two numbers."""
    found = [0.0] * (len(one) + len(other) - 1)
    for at, chance in enumerate(one):
        for more, likely in enumerate(other):
            found[at + more] += chance * likely
    return found


def _estimate(tables: list[Table], seen: int, singles: Singles) -> tuple[float, float]:
    seen += singles.cases - singles.failed
    expected = fsum(table.head * table.passed / table.runs for table in tables)
    expected += singles.cases * (1 - singles.flip)
    spread = fsum(
        table.head
        * (table.runs - table.head)
        * table.passed
        * (table.runs - table.passed)
        / (table.runs**2 * (table.runs - 1))
        for table in tables
    )
    spread += singles.cases * singles.flip * (1 - singles.flip)
    if not spread:
        return 1.0, 1.0
    # corrected for continuity, as what was seen counts on both sides
    fewer, more = (seen + 0.5 - expected) / sqrt(spread), (expected - seen + 0.5) / sqrt(spread)
    return NormalDist().cdf(fewer), NormalDist().cdf(more)


def _ways(total: int, chosen: int) -> float:
    """The logarithm of how many ways there are to choose so many of a total."""
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjustment: compared with 5 %, at most 5 % of runs show even one false alarm."""
    values = _probabilities(p_values)
    adjusted, largest = [0.0] * len(values), 0.0
    for rank, place in enumerate(_ascending(values)):
        largest = max(largest, values[place] * (len(values) - rank))
        adjusted[place] = min(1.0, largest)
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's: compared with 5 %, 5 % of the alarms are expected to be false."""
    values = _probabilities(p_values)
    adjusted, smallest = [0.0] * len(values), 1.0
    for rank, place in reversed(list(enumerate(_ascending(values), start=1))):
        smallest = min(smallest, values[place] * (len(values) / rank))
        adjusted[place] = smallest
    return adjusted


def _ascending(values: list[float]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__)


def _probabilities(p_values: Sequence[float]) -> list[float]:
    values = finite(p_values)
    wrong = next((value for value in values if not 0 <= value <= 1), None)
    if wrong is not None:
        msg = f"{wrong} is no p value: it must lie between 0 and 1"
        raise ValueError(msg)
    return values
