"""How close two texts are, by published definitions. To add one: write a function, list it here.

Every metric is a number from 0 to 1, and 1 for equal texts; two empty texts are equal.
"""

from collections.abc import Callable

from agentevals.model.plugins import Table

_HOME = "agentevals.graders.text.metrics"

METRICS: Table[Callable[[str, str], float]] = Table(
    "evaluation metric",
    {
        "fuzzy_match": f"{_HOME}.fuzzy:fuzzy_match",
        "bleu": f"{_HOME}.bleu:bleu",
        "gleu": f"{_HOME}.gleu:gleu",
        "meteor": f"{_HOME}.meteor:meteor",
        "cosine": f"{_HOME}.cosine:cosine",
        "rouge_1": f"{_HOME}.rouge:rouge_1",
        "rouge_2": f"{_HOME}.rouge:rouge_2",
        "rouge_3": f"{_HOME}.rouge:rouge_3",
        "rouge_4": f"{_HOME}.rouge:rouge_4",
        "rouge_5": f"{_HOME}.rouge:rouge_5",
        "rouge_l": f"{_HOME}.rouge:rouge_l",
    },
)


def similarity(metric: str, actual: str, expected: str) -> float:
    """How close an answer comes to the expected one.

    The definitions leave open what two texts without a single word (or one with fewer words
    than an n-gram has) are worth; here equal is always 1.
    """
    return 1.0 if actual == expected else METRICS[metric](actual, expected)
