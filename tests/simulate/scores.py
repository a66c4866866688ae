"""Cases that have a score."""

from functools import partial
from random import Random

from tests.simulate.populations import (
    DISCRETE,
    RARE,
    SKEWED,
    Draw,
    Population,
    draw_each,
    number_families,
)
from tests.simulate.pull_requests import Drawn


def draw_noise(change: float, spread: float, random: Random) -> Drawn:
    return Drawn([0.6], [0.6 + random.gauss(change, spread)])


def _draw_uniform(random: Random) -> Drawn:
    return Drawn([random.uniform(0.3, 0.8)], [random.uniform(0.25, 0.75)])


def _draw_exponential(random: Random) -> Drawn:
    return Drawn([0.9], [0.9 - min(random.expovariate(20), 0.9)])


def _draw_collapse(random: Random) -> Drawn:
    """A little noise everywhere, and one case in ten collapses."""
    was, lost = random.uniform(0.75, 0.95), random.random() < 0.1
    return Drawn([was], [was - random.uniform(0.4, 0.75) if lost else was + random.gauss(0, 0.02)])


def draw_losses(share: float, random: Random) -> Drawn:
    """Some cases lose 0.2 to 1, which is 0.6 on the average; the others stay as they are."""
    return Drawn([1.0], [1 - random.uniform(0.2, 1) if random.random() < share else 1.0])


def _draw_grid(moving: float, random: Random) -> Drawn:
    was = random.choice([0.25, 0.5, 0.75])
    return Drawn([was], [was + random.choice([-0.25, 0.25]) * (random.random() < moving)])


def _draw_mostly_whole(random: Random) -> Drawn:
    """Scores of 0 or 1, of which one in ten lies between."""
    was, now = (
        random.uniform(0.2, 0.9) if random.random() < 0.1 else float(random.random() < 0.85)
        for _ in range(2)
    )
    return Drawn([was], [now])


def _draw_ceiling(random: Random) -> Drawn:
    was, now = (min(1.0, random.gauss(0.97, 0.06)) for _ in range(2))
    return Drawn([was], [now])


def _draw_heavy(random: Random) -> Drawn:
    """Student's t with two degrees of freedom, as far as scores reach."""
    change = 0.03 * random.gauss(0, 1) / random.expovariate(1) ** 0.5
    return Drawn([0.5], [0.5 + max(-0.5, min(0.5, change))])


def _draw_siblings(random: Random, cases: int) -> list[Drawn]:
    drawn = []
    for family, size in number_families(cases):
        common = random.gauss(0, 0.1)
        drawn += [Drawn([0.5], [0.5 + common + random.gauss(0, 0.05)], family) for _ in range(size)]
    return drawn


def _population(name: str, truth: float, draw: Draw, reason: str = "") -> Population:
    return Population(name, "score", truth, draw, reason)


POPULATIONS = (
    _population("normal", -0.02, draw_each(partial(draw_noise, -0.02, 0.1))),
    _population("uniform", -0.05, draw_each(_draw_uniform)),
    _population("exponential", -0.05, draw_each(_draw_exponential), SKEWED),
    _population("noise, and 1 in 10 collapses", -0.0575, draw_each(_draw_collapse), SKEWED),
    _population("10 % lose 0.2 to 1", -0.06, draw_each(partial(draw_losses, 0.1)), RARE),
    _population("judge's grid, 30 % move", 0.0, draw_each(partial(_draw_grid, 0.3)), DISCRETE),
    _population("judge's grid, 70 % move", 0.0, draw_each(partial(_draw_grid, 0.7)), DISCRETE),
    _population("0 or 1, a tenth between", 0.0, draw_each(_draw_mostly_whole), DISCRETE),
    _population("at the ceiling", 0.0, draw_each(_draw_ceiling)),
    _population("heavy tails", 0.0, draw_each(_draw_heavy), SKEWED),
    Population("families", "score", 0.0, _draw_siblings, has_families=True),
)
