"""How many cases it takes to tell, and what a given number of cases can tell.

Normal approximations for the gate "the lower bound of the two-sided interval is at least -margin":
`alpha` is what the interval leaves out (0.05 of a 95 % interval), `power` how often the gate passes
when base and head are in truth the same.
"""

from math import ceil, inf, isfinite, sqrt
from statistics import NormalDist

from agentevals.compare.statistics.domain import finite, proportion


def cases_needed_for_mean(
    deviation: float, margin: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Return how many cases it takes if the differences have this standard deviation; at least one.

    For a rate, the deviation is sqrt(share of the cases that flip, either way).
    """
    _not_negative(deviation)
    if finite([margin])[0] <= 0:
        msg = f"the margin is {margin}, and no number of cases shows a difference of exactly 0"
        raise ValueError(msg)
    errors = _standard_errors(alpha, power) * deviation / margin
    if not isfinite(errors * errors):
        msg = f"no number of cases shows a margin of {margin} at a deviation of {deviation}"
        raise ValueError(msg)
    return max(1, ceil(errors * errors))


def detectable_difference(
    deviation: float, n: int, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest margin that n cases can show; for a rate, the deviation is sqrt(share)."""
    _not_negative(deviation)
    if not 1 <= n < inf:
        msg = f"{n} cases show nothing: it takes a number of them, 1 or more"
        raise ValueError(msg)
    return _standard_errors(alpha, power) * deviation / sqrt(n)


def _standard_errors(alpha: float, power: float) -> float:
    quantile = NormalDist().inv_cdf
    reach = quantile(1 - proportion(alpha, "alpha") / 2) + quantile(proportion(power, "power"))
    # a power below alpha / 2 is had without any case
    return max(0.0, reach)


def _not_negative(deviation: float) -> None:
    if finite([deviation])[0] < 0:
        msg = f"the standard deviation is {deviation}, and cannot be below 0"
        raise ValueError(msg)
