"""The longest common subsequence: how much of one text reappears in the other, in order."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from agentevals.model.errors import EvaluatorError

_LIMIT = 10**10  # pairs of items; about a second of work


def longest_common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence.

    A row of the classic table is one big integer with a bit for each item of `one` (Hyyrö,
    "Bit-parallel LCS-length computation revisited", 2004).
    """
    start = _common_start(one, other)
    one, other = one[start:], other[start:]
    if len(one) * len(other) > _LIMIT:
        msg = (
            f"the texts are too long to be compared: {len(one):,} and {len(other):,} "
            "characters or words; compare them with 'rouge_1' or 'cosine' instead"
        )
        raise EvaluatorError(msg)
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, item in enumerate(one):
        places[item] |= 1 << place
    everything = row = (1 << len(one)) - 1
    for item in other:
        here = row & places.get(item, 0)
        row = ((row + here) | (row - here)) & everything
    return start + len(one) - row.bit_count()


def _common_start(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
