"""Cases that cost something, or take time."""

from functools import partial
from math import exp
from random import Random

from tests.simulate.populations import SKEWED, Draw, Population, draw_each, number_families
from tests.simulate.pull_requests import Drawn

_OF_FAMILIES = 0.3  # the noise that siblings have in common


def draw_amount(ratio: float, size: float, noise: float, random: Random) -> Drawn:
    """Cases of different size, and each run of them with noise of its own."""
    usual = random.lognormvariate(0, size)
    was, now = (usual * random.lognormvariate(0, noise) for _ in range(2))
    return Drawn([1000 * was], [1000 * now * ratio])


def _draw_gamma(random: Random) -> Drawn:
    usual = 500 * random.gammavariate(2, 1)
    was, now = (usual * random.gammavariate(4, 0.25) for _ in range(2))
    return Drawn([was], [now])


def _draw_zeros(random: Random) -> Drawn:
    was, now = (random.lognormvariate(0, 0.6) * (random.random() < 0.7) for _ in range(2))
    return Drawn([was], [now])


def draw_growing(ratio: float, random: Random) -> Drawn:
    """One case in ten grows, so that all together come to the ratio; the others hardly differ."""
    was, now = (random.lognormvariate(0, 0.1) for _ in range(2))
    more = 1 + 10 * (ratio - 1) if random.random() < 0.1 else 1.0
    return Drawn([was], [now * more])


def _draw_siblings(random: Random, cases: int) -> list[Drawn]:
    drawn = []
    for family, size in number_families(cases):
        common = random.lognormvariate(0, _OF_FAMILIES)
        for _ in range(size):
            (was,), (now,), _ = draw_amount(1.0, 0.5, 0.2, random)
            drawn.append(Drawn([was], [now * common], family))
    return drawn


def _amounts(ratio: float, size: float, noise: float) -> Draw:
    return draw_each(partial(draw_amount, ratio, size, noise))


POPULATIONS = (
    Population("cost, noise 0.2", "cost", 1.1, _amounts(1.1, 0.5, 0.2)),
    Population("cost, noise 0.6", "cost", 1.1, _amounts(1.1, 0.5, 0.6), SKEWED),
    Population("cost, a third is free", "cost", 1.0, draw_each(_draw_zeros), SKEWED),
    Population("cost, of very different size", "cost", 1.0, _amounts(1.0, 1.2, 0.3), SKEWED),
    Population("tokens, gamma", "tokens", 1.0, draw_each(_draw_gamma), SKEWED),
    Population(
        "tokens, families", "tokens", exp(_OF_FAMILIES**2 / 2), _draw_siblings, SKEWED, True
    ),
    Population("latency, noise 0.3", "latency", 1.1, _amounts(1.1, 0.5, 0.3)),
    Population("latency, families", "latency", 1.0, _draw_siblings, has_families=True),
)
