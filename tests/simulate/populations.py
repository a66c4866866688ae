"""What cases are drawn from, with the true difference of a figure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from tests.simulate.pull_requests import Drawn

DISCRETE, RARE, SKEWED = "few values", "rare changes", "skewed changes"
FEW = "few cases"
FAMILY = 3  # cases of which what becomes of one becomes of its siblings as well

Draw = Callable[[Random, int], list[Drawn]]


@dataclass(frozen=True)
class Population:
    """Cases of one kind. The reason says why few methods have narrow intervals that are right."""

    name: str
    figure: str
    truth: float
    draw: Draw
    reason: str = ""
    has_families: bool = False


def draw_each(one: Callable[[Random], Drawn]) -> Draw:
    """Return what draws cases that have nothing to do with each other."""
    return partial(_draw_each, one)


def _draw_each(one: Callable[[Random], Drawn], random: Random, cases: int) -> list[Drawn]:
    return [one(random) for _ in range(cases)]


def number_families(cases: int) -> Iterator[tuple[str, int]]:
    """Yield the names of families, and how many of the cases belong to each."""
    for at in range(0, cases, FAMILY):
        yield f"family {at}", min(FAMILY, cases - at)
