"""The values that the functions of this package take; anything else is a ValueError."""

from collections.abc import Iterable
from math import inf, isfinite


def finite(values: Iterable[float]) -> list[float]:
    """The values as floats, once it is known that every one is a finite number."""
    numbers = [_float(value) for value in values]
    wrong = next((number for number in numbers if not isfinite(number)), None)
    if wrong is not None:
        msg = f"{wrong} is not a finite number"
        raise ValueError(msg)
    return numbers


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError as error:
        msg = "an integer is too large to be reckoned with"
        raise ValueError(msg) from error


def proportion(value: float, name: str) -> float:
    """A number between 0 and 1, both excluded: a confidence, a significance level, a power."""
    if not 0 < value < 1:
        msg = f"{name} is {value}, and must lie between 0 and 1"
        raise ValueError(msg)
    return value


def require_counts(**counts: int) -> None:
    """Refuse what is no number of cases."""
    for name, count in counts.items():
        if not 0 <= count < inf:
            msg = f"{name} is {count}, and must be a number of cases, 0 or more"
            raise ValueError(msg)
