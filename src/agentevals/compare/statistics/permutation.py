"""The sign-flip test: could the differences as well have had the other sign?"""

from bisect import bisect_left
from collections.abc import Sequence
from math import fsum
from operator import getitem

from agentevals.compare.statistics import resampling
from agentevals.compare.statistics.domain import finite

_ENUMERATED = 24  # differences of which every combination of signs is looked at
_WORK = 4_000_000
_NOISE = 1e-12  # what subtracting two equal scores may leave
_TIE = 1e-9  # relative: sums closer than this differ by the order of adding only
_GROUP = 8  # signs in one random byte


def sign_flip(differences: Sequence[float]) -> float:
    """The two-sided p value of the mean difference, under "base and head are interchangeable".

    Exact for up to 24 cases that differ; beyond that the share of random sign flips that reach
    as far, with the flip that was seen counted among them. Cases without a difference say nothing.
    """
    values = [value for value in finite(differences) if abs(value) > _NOISE]
    if not values:
        return 1.0
    largest = max(map(abs, values))
    # sorted, so that the order of the cases cannot matter
    sizes = sorted(abs(value) / largest for value in values)
    reached = abs(fsum(value / largest for value in values)) - _TIE * fsum(sizes)
    return _share(sizes, reached) if len(sizes) <= _ENUMERATED else _estimate(sizes, reached)


def _share(sizes: list[float], reached: float) -> float:
    """The share of all combinations that reach as far, from the sums of either half."""
    half = len(sizes) // 2
    others = sorted(_sums(sizes[half:]))
    as_far = sum(len(others) - bisect_left(others, reached - one) for one in _sums(sizes[:half]))
    return min(1.0, float(2 * as_far / 2 ** len(sizes)))


def _estimate(sizes: list[float], reached: float) -> float:
    padded = sizes + [0.0] * (-len(sizes) % _GROUP)
    tables = [_sums(padded[at : at + _GROUP]) for at in range(0, len(padded), _GROUP)]
    resamples = resampling.affordable(len(tables), _WORK)
    signs = resampling.chance().randbytes
    as_far = sum(
        abs(sum(map(getitem, tables, signs(len(tables))))) >= reached for _ in range(resamples)
    )
    return (as_far + 1) / (resamples + 1)


def _sums(sizes: list[float]) -> list[float]:
    """Return the sums of all combinations of signs."""
    sums = [0.0]
    for size in sizes:
        sums = [one + size for one in sums] + [one - size for one in sums]
    return sums
