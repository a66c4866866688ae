"""Metrics that count common words, stems, runs of words or characters of two texts."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import exp, log, sqrt
from unicodedata import category, normalize

from agentevals.graders.text.metrics.porter import stem
from agentevals.model.errors import EvaluatorError

_ONE_BY_ONE = (
    range(0x4E00, 0xA000),  # CJK unified ideographs
    range(0x3040, 0x3100),  # Hiragana, Katakana
    range(0xAC00, 0xD7B0),  # Hangul syllables
)
_CLUSTERED = (
    range(0x0E00, 0x0F00),  # Thai, Lao
    range(0x1000, 0x10A0),  # Myanmar
    range(0x1780, 0x1800),  # Khmer
)
_SHORT = 3  # words up to this length are their own stem

NGrams = Counter[tuple[str, ...]]

_RECALL = 0.9  # share of recall in the harmonic mean
_PENALTY = 0.5  # at most this share of the score is lost

Alignment = list[tuple[int, int]]


def split_words(text: str) -> list[str]:
    """The words of a text, as they are written."""
    folded = normalize("NFKC", text).lower()
    return folded.translate({ord(char): _add_spaces(char) for char in set(folded)}).split()


def split_stems(text: str) -> list[str]:
    """The words of a text, those in plain letters and digits reduced to their stem."""
    return [
        stem(word) if len(word) > _SHORT and word.isascii() else word for word in split_words(text)
    ]


@lru_cache(maxsize=4096)
def _add_spaces(char: str) -> str:
    """The character with a space on each side where it begins or ends a word."""
    code = ord(char)
    if any(code in script for script in _ONE_BY_ONE):
        return f" {char} "
    is_mark = category(char).startswith("M")
    if any(code in script for script in _CLUSTERED):
        return char if is_mark else f" {char}"
    return char if is_mark or char.isalnum() else " "


def count_ngrams(words: Sequence[str], size: int) -> NGrams:
    """Count each run of `size` words."""
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))


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
    one, other = count_ngrams(split_stems(actual), size), count_ngrams(split_stems(expected), size)
    return _compute_f(count_shared(one, other), one.total(), other.total())


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
