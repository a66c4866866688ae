"""METEOR (Banerjee and Lavie, 2005; weights of Lavie and Agarwal, 2007), without synonyms.

Words are aligned when they are equal, then when their stems are. The stage that looks for
synonyms needs a dictionary (WordNet) and is left out.
"""

from collections import defaultdict
from itertools import pairwise

from agentevals.graders.text.metrics.porter import stem
from agentevals.graders.text.metrics.tokens import split_words

_RECALL = 0.9  # share of recall in the harmonic mean
_PENALTY = 0.5  # at most this share of the score is lost

Alignment = list[tuple[int, int]]


def meteor(actual: str, expected: str) -> float:
    """Word matches, weighted towards recall, less a penalty when they are out of order.

    Texts that agree word for word have no penalty, as in the authors' later program.
    """
    one, other = split_words(actual), split_words(expected)
    aligned = _align(one, other)
    matches, chunks = len(aligned), _count_chunks(aligned)
    if not matches:
        return 0.0
    precision, recall = matches / len(one), matches / len(other)
    if precision == recall == chunks == 1:
        return 1.0
    mean = precision * recall / (_RECALL * precision + (1 - _RECALL) * recall)
    fragmentation = chunks / matches
    return mean * (1 - _PENALTY * fragmentation**3)


def _align(one: list[str], other: list[str]) -> Alignment:
    exact, one_left, other_left = _match_words(dict(enumerate(one)), dict(enumerate(other)))
    by_stem, _, _ = _match_words(
        {place: stem(word) for place, word in one_left.items()},
        {place: stem(word) for place, word in other_left.items()},
    )
    return sorted(exact + by_stem)


def _match_words(
    one: dict[int, str], other: dict[int, str]
) -> tuple[Alignment, dict[int, str], dict[int, str]]:
    """Each word, from the end, with the last free equal one; and what is left over."""
    free: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in other.items():
        free[word].append(place)
    found = [(place, free[one[place]].pop()) for place in reversed(one) if free[one[place]]]
    ours, theirs = {a for a, _ in found}, {b for _, b in found}
    return (
        found,
        {place: word for place, word in one.items() if place not in ours},
        {place: word for place, word in other.items() if place not in theirs},
    )


def _count_chunks(aligned: Alignment) -> int:
    """Count the unbroken runs, in the order of both texts, that the matches form."""
    if not aligned:
        return 0
    return 1 + sum((c, d) != (a + 1, b + 1) for (a, b), (c, d) in pairwise(aligned))
