"""Chance that repeats itself: the same input is resampled in the same way on every machine."""

import random

RESAMPLES = 9_999  # one less than a round number: what was seen counts as one more
_FEWEST = 399
_SEED = 1


def chance() -> random.Random:
    """A generator that always starts at the same place."""
    return random.Random(_SEED)  # noqa: S311 -- statistics, no secrets


def affordable(size: int, work: int) -> int:
    """Return how many resamples of this size come to no more than that much work, within reason."""
    return max(_FEWEST, min(RESAMPLES, work // size))
