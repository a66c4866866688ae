"""The values that the functions of this package take; anything else is a ValueError."""

from collections.abc import Iterable, Sequence
from math import copysign, fsum, inf, isfinite
from typing import NamedTuple

SHARE = 0.025  # the chance of an error on either side of an interval


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


class Part(NamedTuple):
    """The part of a case, or of a family of cases, in a ratio of two sums; 1 below in a mean."""

    top: float
    bottom: float = 1.0

    @property
    def ratio(self) -> float:
        if self.bottom:
            return self.top / self.bottom
        return copysign(inf, self.top) if self.top else 0.0


def add_parts(parts: Sequence[Part]) -> Part:
    """Return the part of them all."""
    return Part(fsum(part.top for part in parts), fsum(part.bottom for part in parts))


def cut_digits(number: float) -> float:
    """Return a number with the digits on which every machine agrees."""
    return float(f"{number:.9g}")


def require_parts(parts: Sequence[Part]) -> Sequence[Part]:
    """Refuse parts that are no finite numbers, and none at all."""
    finite(value for part in parts for value in part)
    if not parts:
        msg = "there is no case to tell anything of"
        raise ValueError(msg)
    return parts
