"""What a turn's text score has to say when it is too low."""

from collections.abc import Iterator, Sequence

from agentevals.model.cases import Case


def shortfalls(
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
