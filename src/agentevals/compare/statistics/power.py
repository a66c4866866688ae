"""How small a drop of the pass rate a number of cases is likely to show."""

from functools import cache
from math import sqrt
from statistics import NormalDist

from agentevals.compare.statistics import mcnemar
from agentevals.compare.statistics.domain import require_counts

_ALPHA, _POWER = 0.05, 0.8
_EXACT, _EXACT_WITHOUT_NOISE = 60, 300  # cases up to which every outcome is looked at
_STEPS = 20  # halvings of the range in which the drop lies


def find_detectable_drop(cases: int, flipped: int) -> float | None:
    """Return the drop that McNemar's test finds in 8 of 10 runs; None if there is none.

    As many cases as `flipped` are taken to flip by chance, as many either way. Exact for few
    cases; for more, Connor's approximation (Biometrics 1987, 43:207).
    """
    require_counts(cases=cases, flipped=flipped)
    noise = min(flipped, cases) / cases if cases else 0.0
    most = 1 - noise / 2
    if not cases or _find_power(cases, most, noise) < _POWER:
        return None
    low, high = 0.0, most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if _find_power(cases, middle, noise) >= _POWER else (middle, high)
    return high


def _find_power(cases: int, drop: float, noise: float) -> float:
    """Return the chance to find a drop where `noise` of the cases flip besides."""
    won = min(noise / 2, 1 - drop - noise / 2)
    lost = drop + max(won, 0.0)
    exact = cases <= (_EXACT if won > 0 else _EXACT_WITHOUT_NOISE)
    find = _find_exact_power if exact else _find_normal_power
    return find(cases, min(lost, 1.0), max(won, 0.0))


def _find_exact_power(cases: int, lost: float, won: float) -> float:
    flips = lost + won
    if not flips:
        return 0.0
    share, power = lost / flips, 0.0
    for count, chance in enumerate(_list_chances(cases, flips)):
        least = _find_least_lost(count)
        if least is not None and chance:
            power += chance * (1 if share >= 1 else sum(_list_chances(count, share)[least:]))
    return power


def _list_chances(trials: int, share: float) -> list[float]:
    """Return the chance of 0, 1, 2 … successes."""
    if share >= 1:
        return [0.0] * trials + [1.0]
    chances, ratio = [(1 - share) ** trials], share / (1 - share)
    for count in range(trials):
        chances.append(chances[-1] * ratio * (trials - count) / (count + 1))
    return chances


@cache
def _find_least_lost(flipped: int) -> int | None:
    """Return how many of the flipped cases must be lost for the test to call it a drop."""
    wanted = range(flipped // 2 + 1, flipped + 1)
    return next((lost for lost in wanted if mcnemar.mid_p(lost, flipped - lost) < _ALPHA), None)


def _find_normal_power(cases: int, lost: float, won: float) -> float:
    flips, drop = lost + won, lost - won
    spread = sqrt(max(flips - drop * drop, 0.0))
    reach = sqrt(cases) * drop - NormalDist().inv_cdf(1 - _ALPHA / 2) * sqrt(flips)
    if not spread:
        return float(reach > 0)
    return NormalDist().cdf(reach / spread)
