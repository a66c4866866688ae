"""How small a drop a number of cases is likely to show, and how many cases a limit takes."""

from collections.abc import Sequence
from functools import cache
from math import ceil, exp, fsum, isfinite, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import NamedTuple

from agentevals.compare.statistics.confidence_intervals import Interval, wilson
from agentevals.compare.statistics.statistics_inputs import finite, require_counts

_ALPHA, _POWER = 0.05, 0.8
_EXACT = 2_000  # cases up to which every outcome is looked at
_STEPS = 16  # halvings of the range in which the drop lies
_NEVER = 1e-9
_LARGEST = 1e6  # the root of a number of cases; nobody has more


def find_needed_cases(margin: float, errors: Sequence[float], reach: float) -> tuple[int, int]:
    """Return from how many cases on the interval keeps a margin in 8 of 10 runs of no change.

    It is a range, because the spread is known from the `errors` of these cases only: it ends where
    the 80 % interval of the spread does. `reach` is how far an unseen case may lie from the others.
    """
    if not finite(errors) or not margin > 0 or not isfinite(reach):
        msg = f"{margin} is no margin that {len(errors)} cases could keep"
        raise ValueError(msg)
    low, high = _find_spreads(errors, reach)
    return _find_needed(margin, low, reach), _find_needed(margin, high, reach)


def _find_needed(margin: float, variance: float, reach: float) -> int:
    """Solve margin = z·sqrt(variance / n) + unseen / n."""
    z = NormalDist().inv_cdf(1 - _ALPHA / 2) + NormalDist().inv_cdf(_POWER)
    unseen = -log(_ALPHA / 2) * reach
    root = (z * sqrt(variance) + sqrt(z * z * variance + 4 * margin * unseen)) / (2 * margin)
    return ceil(min(root, _LARGEST) ** 2)


def _find_spreads(errors: Sequence[float], reach: float) -> tuple[float, float]:
    """Return the ends of the 80 % interval of the variance.

    Where an unseen case counts, it is unsure as well how many differ at all.
    """
    squares = [error * error for error in errors if error or not reach]
    if not squares:
        return 0.0, wilson(0, len(errors), confidence=_POWER).high * reach * reach
    variance, freedom = fsum(squares) / len(squares), max(1, len(squares) - 1)
    alike = reach and min(squares) == max(squares)  # passes and failures
    ends = [1.0, 1.0] if alike else _find_ends(freedom)
    share = wilson(len(squares), len(errors), confidence=_POWER) if reach else Interval(1.0, 1.0)
    return variance * share.low * ends[0], variance * share.high * ends[1]


def _find_ends(freedom: int) -> list[float]:
    """Return by how much a variance may be too small and too large."""
    tail = (1 - _POWER) / 2
    return [freedom / _find_chi_square(end, freedom) for end in (1 - tail, tail)]


def _find_chi_square(share: float, freedom: int) -> float:
    """Return the quantile of the distribution of variances (Wilson and Hilferty, 1931)."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + NormalDist().inv_cdf(share) * sqrt(part)) ** 3


class SignTest(NamedTuple):
    """The one-sided sign test of cases that flipped.

    Fewer cases than `few` are tested by the chance of `flip` that a passing one fails.
    """

    alpha: float
    few: int
    flip: float


@cache
def find_detectable_drop(cases: int, flipped: int, test: SignTest) -> float | None:
    """Return the drop that a test finds in 8 of 10 runs; None if there is none.

    As many cases as `flipped` are taken to flip by chance, as many either way. Exact, but for many
    cases Connor's approximation (Biometrics 1987, 43:207).
    """
    require_counts(cases=cases, flipped=flipped)
    noise = min(flipped, cases) / cases if cases else 0.0
    most = 1 - noise / 2
    if not cases or _find_power(cases, most, noise, test) < _POWER:
        return None
    low, high = 0.0, most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = _find_power(cases, middle, noise, test) >= _POWER
        low, high = (low, middle) if found else (middle, high)
    return high


def _find_power(cases: int, drop: float, noise: float, test: SignTest) -> float:
    """Return the chance to find a drop where `noise` of the cases flip besides."""
    won = max(0.0, min(noise / 2, 1 - drop - noise / 2))
    lost = min(drop + won, 1.0)
    if cases < test.few:
        least = _find_least_of_few(cases, test)
        return fsum(_list_chances(cases, lost)[least:])
    return (_find_exact_power if cases <= _EXACT else _find_normal_power)(cases, lost, won, test)


def _find_exact_power(cases: int, lost: float, won: float, test: SignTest) -> float:
    flips = lost + won
    if not flips:
        return 0.0
    power = 0.0
    for count, chance in enumerate(_list_chances(cases, flips)):
        least = _find_least_lost(count, test.alpha) if chance > _NEVER else None
        if least is not None:
            power += chance * fsum(_list_chances(count, lost / flips)[least:])
    return power


def _list_chances(trials: int, share: float) -> list[float]:
    """Return the chance of 0, 1, 2 … successes."""
    if share >= 1:
        return [0.0] * trials + [1.0]
    if share <= 0:
        return [1.0] + [0.0] * trials
    ways, yes, no = lgamma(trials + 1), log(share), log1p(-share)
    return [
        exp(ways - lgamma(k + 1) - lgamma(trials - k + 1) + k * yes + (trials - k) * no)
        for k in range(trials + 1)
    ]


@cache
def _find_least_lost(flipped: int, alpha: float) -> int | None:
    """Return how many of the flipped cases must be lost for the sign test to call it a drop."""
    return _find_least(_list_chances(flipped, 0.5), alpha)


@cache
def _find_least_of_few(cases: int, test: SignTest) -> int:
    return _find_least(_list_chances(cases, test.flip), test.alpha) or cases + 1


def _find_least(chances: list[float], alpha: float) -> int | None:
    """Return the number from which on all together are as rare as that; None if none is."""
    tail, least = 0.0, None
    for number in reversed(range(len(chances))):
        tail += chances[number]
        if tail > alpha:
            break
        least = number
    return least


def _find_normal_power(cases: int, lost: float, won: float, test: SignTest) -> float:
    flips, drop = lost + won, lost - won
    spread = sqrt(max(flips - drop * drop, 0.0))
    reach = sqrt(cases) * drop - NormalDist().inv_cdf(1 - test.alpha) * sqrt(flips)
    if not spread:
        return float(reach > 0)
    return NormalDist().cdf(reach / spread)
