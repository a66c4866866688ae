"""GLEU, the variant of BLEU for single sentences (Wu et al., 2016)."""

from agentevals.graders.text.metrics.ngrams import ngrams, shared
from agentevals.graders.text.metrics.tokens import words

_SIZES = range(1, 5)


def gleu(actual: str, expected: str) -> float:
    """The smaller of precision and recall over all runs of one to four words."""
    one, other = words(actual), words(expected)
    pairs = [(ngrams(one, size), ngrams(other, size)) for size in _SIZES]
    longer = max(sum(a.total() for a, _ in pairs), sum(b.total() for _, b in pairs))
    return sum(shared(a, b) for a, b in pairs) / longer if longer else 0.0
