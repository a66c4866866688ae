"""Runs of neighbouring words, counted."""

from collections import Counter
from collections.abc import Sequence

NGrams = Counter[tuple[str, ...]]


def ngrams(words: Sequence[str], size: int) -> NGrams:
    """How often each run of `size` words occurs."""
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))


def shared(one: NGrams, other: NGrams) -> int:
    """How many runs of words both sides have, each counted as often as both have it."""
    return (one & other).total()
