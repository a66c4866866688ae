"""Fuzzy match: how many characters must be inserted or deleted to get from text to text."""

from agentevals.graders.text.metrics.sequences import longest_common


def fuzzy_match(actual: str, expected: str) -> float:
    """The normalised similarity that rapidfuzz calls `ratio`; case and spaces count."""
    both = len(actual) + len(expected)
    return 2 * longest_common(actual, expected) / both if both else 1.0
