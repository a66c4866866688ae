"""BLEU of one sentence (Papineni et al., 2002), with the smoothing that short texts need."""

from math import exp, log

from agentevals.graders.text.metrics.ngrams import ngrams, shared
from agentevals.graders.text.metrics.tokens import words

_LONGEST = 4


def bleu(actual: str, expected: str) -> float:
    """The geometric mean of the n-gram precisions, with a penalty for a short answer.

    As in sacrebleu's sentence score: a precision of zero counts as half, a quarter, ... of one
    match ("exp" smoothing), and n-grams longer than the answer are left out.
    """
    one, other = words(actual), words(expected)
    if not set(one) & set(other):
        return 0.0
    logs, half = [], 1.0
    for size in range(1, min(_LONGEST, len(one)) + 1):
        found = float(shared(ngrams(one, size), ngrams(other, size)))
        if not found:
            half /= 2
            found = half
        logs.append(log(found / (len(one) - size + 1)))
    brevity = min(0.0, 1 - len(other) / len(one))
    return exp(brevity + sum(logs) / len(logs))
