"""Compare a result with the expected one, and with an earlier one, in words."""

from collections.abc import Iterator

from agentevals.model.cases import Grade, Status
from registry_tools.manifests.fixtures import Expected, Fixture

_ROUNDING = 1e-9  # 1 - 0.99 is more than 0.01


def decide_status(grade: Grade, threshold: float) -> Status:
    """Return the evaluator's own status, or the engine's for its score."""
    if grade.status is not None:
        return grade.status
    passed = grade.score is not None and grade.score >= threshold
    return Status.PASSED if passed else Status.FAILED


def find_mismatches(fixture: Fixture, grade: Grade) -> Iterator[tuple[str, str]]:
    """Yield each key of `expect` that is not met, and how."""
    expected, status = fixture.expect, decide_status(grade, fixture.threshold)
    if status is Status.NOT_EVALUATED and expected.status != status.value:
        reason = f": {grade.misses[0]}" if grade.misses else ""
        yield _pick_first(expected), f"was not evaluated{reason}"
        return
    if expected.status is not None and expected.status != status.value:
        yield "status", f"is {status.value}, not {expected.status}"
    if expected.score is not None and not _meets(expected, grade):
        yield "score", f"scores {grade.score:g}, not {expected.score:g}"


def list_differences(first: Grade, second: Grade) -> list[str]:
    """List the differences of two results of one input, scores first."""
    pairs = {
        f"the score is {first.score:g}, then {second.score:g}": first.score != second.score,
        "the status": first.status != second.status,
        "the scores of turns": first.per_turn != second.per_turn,
        "the details": first.details != second.details,
    }
    return [what for what, differ in pairs.items() if differ]


def describe(grade: Grade) -> str:
    """Describe a result in a few words."""
    if grade.status is Status.NOT_EVALUATED:
        return "an ordinary input was not evaluated"
    return f"an ordinary input scores {grade.score:g}"


def has_only_details(differing: list[str]) -> bool:
    """Return whether nothing differs that a verdict depends on."""
    return differing == ["the details"]


def _pick_first(expected: Expected) -> str:
    return "score" if expected.score is not None else "status"


def _meets(expected: Expected, grade: Grade) -> bool:
    if expected.score is None or grade.score is None:
        return expected.score == grade.score
    return abs(grade.score - expected.score) <= expected.tolerance + _ROUNDING
