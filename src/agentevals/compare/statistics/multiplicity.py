"""Many tests at once: p values adjusted for how many there are, in the order they came in."""

from collections.abc import Sequence

from agentevals.compare.statistics.domain import finite


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
