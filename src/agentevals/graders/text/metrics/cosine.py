"""Cosine similarity of two texts as vectors of word counts."""

from collections import Counter
from math import sqrt

from agentevals.graders.text.metrics.tokens import words


def cosine(actual: str, expected: str) -> float:
    """1 for the same words in the same proportion, 0 for no word in common."""
    one, other = Counter(words(actual)), Counter(words(expected))
    product = sum(count * other[word] for word, count in one.items())
    if not product:
        return 0.0
    return min(1.0, product / sqrt(_square(one) * _square(other)))


def _square(counts: Counter[str]) -> int:
    return sum(count * count for count in counts.values())
