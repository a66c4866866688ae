"""The two ways in which an evaluator of UiPath ends without a score."""


class EvaluatorError(Exception):
    """It has failed: a 0 in UiPath's files, with the reason in its details."""


class BrokenItemError(Exception):
    """It has broken the evaluation of the whole item: each evaluator has a 0 in UiPath's files."""
