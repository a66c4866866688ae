"""Similarity of two texts, by published definitions: common words, stems, runs, characters.

Every metric is a number from 0 to 1, and 1 for equal texts; two empty texts are equal. To add one:
write a function, and list it in `Metric` and `METRICS`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import exp, log, sqrt
from typing import Literal

from agentevals.graders.text.word_stems import split_stems, split_words, stem
from agentevals.model.cases import Case
from agentevals.model.errors import EvaluatorError
from agentevals.text.text_differences import cut_pair

Metric = Literal[
    "fuzzy_match", "bleu", "gleu", "meteor", "cosine", "rouge_1", "rouge_2", "rouge_3", "rouge_4",
    "rouge_5", "rouge_l",
]  # fmt: skip

NGrams = Counter[tuple[str, ...]]

_RECALL = 0.9  # share of recall in the harmonic mean
_PENALTY = 0.5  # at most this share of the score is lost
_SHOWN = 100  # characters of an answer in a sentence

Alignment = list[tuple[int, int]]


def list_ngrams(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Return each run of `size` words."""
    return list(zip(*[words[start:] for start in range(size)], strict=False))


def count_ngrams(words: Sequence[str], size: int) -> NGrams:
    """Count each run of `size` words."""
    return Counter(list_ngrams(words, size))


def count_shared(one: NGrams, other: NGrams) -> int:
    """Count the runs of words that both sides have, each as often as both have it."""
    return (one & other).total()


_LIMIT = 10**10  # pairs of items; about a second of work


def measure_common(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence.

    A row of the classic table is one big integer with a bit for each item of `one` (Hyyrö,
    "Bit-parallel LCS-length computation revisited", 2004).
    """
    start = _count_common_start(one, other)
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


def _count_common_start(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def rouge_n(actual: str, expected: str, *, size: int) -> float:
    """The overlap of runs of `size` stemmed words; 0 when a side has none."""
    one, other = list_ngrams(split_stems(actual), size), list_ngrams(split_stems(expected), size)
    left, shared = dict[tuple[str, ...], int](), 0
    for run in other:
        left[run] = left.get(run, 0) + 1
    for run in one:
        if left.get(run):
            left[run] -= 1
            shared += 1
    return _compute_f(shared, len(one), len(other))


def rouge_l(actual: str, expected: str) -> float:
    """The longest common subsequence of stemmed words."""
    one, other = split_stems(actual), split_stems(expected)
    return _compute_f(measure_common(one, other), len(one), len(other))


rouge_1 = partial(rouge_n, size=1)
rouge_2 = partial(rouge_n, size=2)
rouge_3 = partial(rouge_n, size=3)
rouge_4 = partial(rouge_n, size=4)
rouge_5 = partial(rouge_n, size=5)


def _compute_f(common: int, actual: int, expected: int) -> float:
    if not common:
        return 0.0
    precision, recall = common / actual, common / expected
    return 2 * precision * recall / (precision + recall)


_LONGEST = 4


def bleu(actual: str, expected: str) -> float:
    """The geometric mean of the n-gram precisions, with a penalty for a short answer.

    As in sacrebleu's sentence score: a precision of zero counts as half, a quarter, ... of one
    match ("exp" smoothing), and n-grams longer than the answer are left out.
    """
    one, other = split_words(actual), split_words(expected)
    if not set(one) & set(other):
        return 0.0
    logs, half = [], 1.0
    for size in range(1, min(_LONGEST, len(one)) + 1):
        found = float(count_shared(count_ngrams(one, size), count_ngrams(other, size)))
        if not found:
            half /= 2
            found = half
        logs.append(log(found / (len(one) - size + 1)))
    brevity = min(0.0, 1 - len(other) / len(one))
    return exp(brevity + sum(logs) / len(logs))


_SIZES = range(1, 5)


def gleu(actual: str, expected: str) -> float:
    """The smaller of precision and recall over all runs of one to four words."""
    one, other = split_words(actual), split_words(expected)
    pairs = [(count_ngrams(one, size), count_ngrams(other, size)) for size in _SIZES]
    longer = max(sum(a.total() for a, _ in pairs), sum(b.total() for _, b in pairs))
    return sum(count_shared(a, b) for a, b in pairs) / longer if longer else 0.0


def cosine(actual: str, expected: str) -> float:
    """1 for the same words in the same proportion, 0 for no word in common."""
    one, other = Counter(split_words(actual)), Counter(split_words(expected))
    product = sum(count * other[word] for word, count in one.items())
    if not product:
        return 0.0
    return min(1.0, product / sqrt(_square_counts(one) * _square_counts(other)))


def _square_counts(counts: Counter[str]) -> int:
    return sum(count * count for count in counts.values())


def fuzzy_match(actual: str, expected: str) -> float:
    """The normalised similarity that rapidfuzz calls `ratio`; case and spaces count."""
    both = len(actual) + len(expected)
    return 2 * measure_common(actual, expected) / both if both else 1.0


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


METRICS: dict[str, Callable[[str, str], float]] = {
    "fuzzy_match": fuzzy_match, "bleu": bleu, "gleu": gleu, "meteor": meteor, "cosine": cosine,
    "rouge_1": rouge_1, "rouge_2": rouge_2, "rouge_3": rouge_3, "rouge_4": rouge_4,
    "rouge_5": rouge_5, "rouge_l": rouge_l,
}  # fmt: skip


def compute_similarity(metric: str, actual: str, expected: str) -> float:
    """Return how close an answer comes to the expected one.

    The definitions leave open what two texts without a single word (or one with fewer words
    than an n-gram has) are worth; here equal is always 1.
    """
    return 1.0 if actual == expected else METRICS[metric](actual, expected)


def describe_shortfalls(
    case: Case, metric: str, scores: Sequence[float | None], threshold: float
) -> Iterator[str]:
    """A sentence for each compared turn whose score does not reach the threshold."""
    for number, ((actual, expected), score) in enumerate(
        zip(case.pairs, scores, strict=True), start=1
    ):
        if not expected.response and (score is None or score < threshold):
            yield f"turn {number}: the eval set states no final response to compare with"
        elif score is not None and score < threshold:
            below = f"turn {number}: {metric} is {score:.4f}, below {threshold:g}"
            yield f"{below}; {_describe_answers(actual.response or '', expected.response or '')}"


def _describe_answers(actual: str, expected: str) -> str:
    found, wanted = cut_pair(actual, expected, _SHOWN)
    said = f"the answer was “{found}”" if found else "the agent said nothing"
    return f"{said}, expected “{wanted}”"
