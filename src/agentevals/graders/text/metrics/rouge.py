"""ROUGE: how many runs of words an answer and its reference share (Lin, 2004), as F-measure."""

from functools import partial

from agentevals.graders.text.metrics.ngrams import ngrams, shared
from agentevals.graders.text.metrics.sequences import longest_common
from agentevals.graders.text.metrics.tokens import stems


def rouge_n(actual: str, expected: str, *, size: int) -> float:
    """The overlap of runs of `size` stemmed words; 0 when a side has none."""
    one, other = ngrams(stems(actual), size), ngrams(stems(expected), size)
    return _f_measure(shared(one, other), one.total(), other.total())


def rouge_l(actual: str, expected: str) -> float:
    """The longest common subsequence of stemmed words."""
    one, other = stems(actual), stems(expected)
    return _f_measure(longest_common(one, other), len(one), len(other))


rouge_1 = partial(rouge_n, size=1)
rouge_2 = partial(rouge_n, size=2)
rouge_3 = partial(rouge_n, size=3)
rouge_4 = partial(rouge_n, size=4)
rouge_5 = partial(rouge_n, size=5)


def _f_measure(common: int, actual: int, expected: int) -> float:
    if not common:
        return 0.0
    precision, recall = common / actual, common / expected
    return 2 * precision * recall / (precision + recall)
