"""The kinds of evaluators from before version 1.0."""

from enum import IntEnum

__all__ = ["LegacyEvaluatorCategory", "LegacyEvaluatorType"]


class LegacyEvaluatorCategory(IntEnum):
    """The kinds of evaluators."""

    Deterministic = 0
    LlmAsAJudge = 1
    AgentScorer = 2
    Trajectory = 3


class LegacyEvaluatorType(IntEnum):
    """The task of an evaluator."""

    Unknown = 0
    Equals = 1
    Contains = 2
    Regex = 3
    Factuality = 4
    Custom = 5
    JsonSimilarity = 6
    Trajectory = 7
    ContextPrecision = 8
    Faithfulness = 9
    CSVColumnExactMatch = 10
