"""McNemar's test: did more cases flip one way than the other? Cases that agree say nothing."""

from math import comb

from agentevals.compare.statistics.domain import require_counts


def mid_p(only_base: int, only_head: int) -> float:
    """The two-sided mid-p value: the outcome seen counts half. 1 where as many flip either way."""
    fewer, total = _split(only_base, only_head)
    return min(1.0, 2 * _sum_up_to(fewer, total) - _exactly(fewer, total))


def exact(only_base: int, only_head: int) -> float:
    """The two-sided p value of the exact conditional test, which never errs on the bold side."""
    fewer, total = _split(only_base, only_head)
    return min(1.0, 2 * _sum_up_to(fewer, total))


def _split(only_base: int, only_head: int) -> tuple[int, int]:
    require_counts(only_base=only_base, only_head=only_head)
    return min(only_base, only_head), only_base + only_head


def _exactly(count: int, total: int) -> float:
    return float(comb(total, count) / 2**total)


def _sum_up_to(count: int, total: int) -> float:
    """Return the chance of at most so many heads of a fair coin; the largest term comes first."""
    term = whole = _exactly(count, total)
    while count and whole + term > whole:
        term *= count / (total - count + 1)
        whole += term
        count -= 1
    return whole
