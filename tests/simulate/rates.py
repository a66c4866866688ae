"""Cases that pass or fail."""

from functools import partial
from random import Random

from tests.simulate.populations import (
    DISCRETE,
    RARE,
    Draw,
    Population,
    draw_each,
    number_families,
)
from tests.simulate.pull_requests import Drawn

_BROKEN = 0.1  # of the cases, or families
_FLAKY_MEAN = 0.6 + 0.4 * 0.65


def draw_runs(before: float, after: float, random: Random) -> Drawn:
    return Drawn([random.random() < before], [random.random() < after])


def _draw_coins(random: Random) -> Drawn:
    share = 0.5 if random.random() < 0.3 else 1.0
    return draw_runs(share, share, random)


def draw_broken(share: float, random: Random) -> Drawn:
    """All pass on the base, and some cases fail now."""
    return Drawn([1.0], [random.random() >= share])


def break_half(share: float, random: Random) -> Drawn:
    """Half of the cases pass on the base, as they always do, and some of them fail now."""
    return draw_broken(2 * share, random) if random.random() < 0.5 else Drawn([0.0], [0.0])


def _draw_trade(random: Random) -> Drawn:
    """Some fail now, and as many as fail now pass instead."""
    before = random.random() < 0.5
    return Drawn([float(before)], [float(before != (random.random() < 0.2))])


def _draw_share(random: Random) -> float:
    return 1.0 if random.random() < 0.6 else random.uniform(0.3, 1)


def _attempt(share: float, number: int, random: Random) -> list[float]:
    return [float(random.random() < share) for _ in range(number)]


def draw_attempts(number: int, before: float, after: float, random: Random) -> Drawn:
    return Drawn(_attempt(before, number, random), _attempt(after, number, random))


def _draw_flaky(number: int, broken: float, random: Random) -> Drawn:
    share = _draw_share(random)
    after = 0.0 if random.random() < broken else share
    return draw_attempts(number, share, after, random)


def _draw_unequal(random: Random) -> Drawn:
    share = _draw_share(random)
    was, now = (random.randint(1, 10) for _ in range(2))
    return Drawn(_attempt(share, was, random), _attempt(share, now, random))


def _draw_flipping(random: Random, cases: int) -> list[Drawn]:
    drawn = []
    for family, size in number_families(cases):
        broken = random.random() < _BROKEN
        for _ in range(size):
            now = 0.0 if broken else float(random.random() < 0.9)
            drawn.append(Drawn([float(random.random() < 0.9)], [now], family))
    return drawn


def _population(name: str, truth: float, draw: Draw, reason: str) -> Population:
    return Population(name, "pass_rate", truth, draw, reason)


def _flaky(attempts: int, broken: float = 0.0) -> Draw:
    return draw_each(partial(_draw_flaky, attempts, broken))


def _runs(before: float, after: float) -> Draw:
    return draw_each(partial(draw_runs, before, after))


POPULATIONS = (
    _population("A/A, runs pass 90 %", 0.0, _runs(0.9, 0.9), DISCRETE),
    _population("A/A, runs pass 98 %", 0.0, _runs(0.98, 0.98), RARE),
    _population("A/A, 30 % are coin flips", 0.0, draw_each(_draw_coins), DISCRETE),
    _population("90 % pass, then 80 %", -0.1, _runs(0.9, 0.8), DISCRETE),
    _population(
        "10 % of the cases break", -_BROKEN, draw_each(partial(draw_broken, _BROKEN)), RARE
    ),
    _population("half pass, and 5 % break", -0.05, draw_each(partial(break_half, 0.05)), RARE),
    _population("10 % break, 10 % are mended", 0.0, draw_each(_draw_trade), DISCRETE),
    _population("A/A, 3 attempts", 0.0, _flaky(3), DISCRETE),
    _population("A/A, 10 attempts", 0.0, _flaky(10), DISCRETE),
    _population("A/A, 1 to 10 attempts", 0.0, draw_each(_draw_unequal), DISCRETE),
    _population("10 % break, 3 attempts", -_BROKEN * _FLAKY_MEAN, _flaky(3, _BROKEN), RARE),
    _population("10 % break, 10 attempts", -_BROKEN * _FLAKY_MEAN, _flaky(10, _BROKEN), RARE),
    Population(
        "10 % of the families break", "pass_rate", -0.9 * _BROKEN, _draw_flipping, RARE, True
    ),
)
