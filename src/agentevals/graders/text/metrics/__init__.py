"""Similarity of two texts, by published definitions. To add one: write a function, list it here.

Every metric is a number from 0 to 1, and 1 for equal texts; two empty texts are equal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

from agentevals.model.cases import Case
from agentevals.model.plugins import Table

Metric = Literal[
    "fuzzy_match", "bleu", "gleu", "meteor", "cosine", "rouge_1", "rouge_2", "rouge_3", "rouge_4",
    "rouge_5", "rouge_l",
]  # fmt: skip
METRICS: Table[Callable[[str, str], float]] = Table(
    "evaluation metric",
    {name: f"agentevals.graders.text.metrics.overlap:{name}" for name in get_args(Metric)},
)


def similarity(metric: str, actual: str, expected: str) -> float:
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
            silence = "" if actual.response else "; the agent said nothing"
            yield f"turn {number}: {metric} is {score:.4f}, below {threshold:g}{silence}"
