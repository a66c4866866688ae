"""Fisher's exact test: did a share fall, or could the runs as well have been dealt otherwise?"""

from collections.abc import Iterable
from math import exp, fsum, lgamma, sqrt
from statistics import NormalDist
from typing import NamedTuple

from agentevals.compare.statistics.domain import require_counts


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


_EXACT = 400  # runs of the head; with more, the sum is as good as normal


def compare_all(tables: Iterable[Table]) -> float:
    """The two-sided p value of "some cases pass more, or less, often", over all cases together.

    Given how many runs of each case passed on both sides, its passes in the head are hypergeometric
    if nothing changed. Their sum is looked at: the exact stratified test, and for many runs the
    statistic of Mantel and Haenszel.
    """
    known = [table for table in tables if table.head and table.runs > table.head]
    seen = sum(table.head_passed for table in known)
    if sum(table.head for table in known) > _EXACT:
        return _estimate(known, seen)
    chances = [1.0]
    for table in known:
        chances = _add(chances, _list_chances(table))
    fewer, more = fsum(chances[: seen + 1]), fsum(chances[seen:])
    return min(1.0, 2 * min(fewer, more))


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


def _estimate(tables: list[Table], seen: int) -> float:
    expected = fsum(table.head * table.passed / table.runs for table in tables)
    spread = fsum(
        table.head
        * (table.runs - table.head)
        * table.passed
        * (table.runs - table.passed)
        / (table.runs**2 * (table.runs - 1))
        for table in tables
    )
    if not spread:
        return 1.0
    distance = max(0.0, abs(seen - expected) - 0.5)  # corrected for continuity
    return 2 * (1 - NormalDist().cdf(distance / sqrt(spread)))


def _ways(total: int, chosen: int) -> float:
    """The logarithm of how many ways there are to choose so many of a total."""
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)
