"""Fisher's exact test: did a share fall, or could the runs as well have been dealt otherwise?"""

from math import exp, fsum, lgamma

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


def _ways(total: int, chosen: int) -> float:
    """The logarithm of how many ways there are to choose so many of a total."""
    return lgamma(total + 1) - lgamma(chosen + 1) - lgamma(total - chosen + 1)
