"""Repeats of one case resemble each other: they are made one value before anything is tested."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import mean

from agentevals.statistics.domain import finite


def by_case(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean over the repeats of each case, whatever their order; cases as they first came."""
    repeats = defaultdict(list)
    for case, value in pairs:
        repeats[case].append(value)
    # `mean` is exact, so that the same repeats in another order leave no difference
    return {case: float(mean(finite(values))) for case, values in repeats.items()}
