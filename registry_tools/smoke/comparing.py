"""What came out beside what was expected, and beside what came out before, in words."""

from collections.abc import Iterator

from agentevals.model.cases import Grade, Status
from registry_tools.manifests.fixtures import Expected, Fixture

_ROUNDING = 1e-9  # 1 - 0.99 is more than 0.01


def status_of(grade: Grade, threshold: float) -> Status:
    """The evaluator's own opinion, or what the engine makes of its score."""
    if grade.status is not None:
        return grade.status
    passed = grade.score is not None and grade.score >= threshold
    return Status.PASSED if passed else Status.FAILED


def mismatches(fixture: Fixture, grade: Grade) -> Iterator[tuple[str, str]]:
    """The key of `expect` that is not met, and how."""
    expected, status = fixture.expect, status_of(grade, fixture.threshold)
    if status is Status.NOT_EVALUATED and expected.status != status.value:
        reason = f": {grade.misses[0]}" if grade.misses else ""
        yield _first(expected), f"was not evaluated{reason}"
        return
    if expected.status is not None and expected.status != status.value:
        yield "status", f"is {status.value}, not {expected.status}"
    if expected.score is not None and not _meets(expected, grade):
        yield "score", f"scores {grade.score:g}, not {expected.score:g}"


def differences(first: Grade, second: Grade) -> list[str]:
    """What is not the same in two results of one input; the scores before the details."""
    pairs = {
        f"the score is {first.score:g}, then {second.score:g}": first.score != second.score,
        "the status": first.status != second.status,
        "the scores of turns": first.per_turn != second.per_turn,
        "the details": first.details != second.details,
    }
    return [what for what, differ in pairs.items() if differ]


def described(grade: Grade) -> str:
    """A result in a few words."""
    if grade.status is Status.NOT_EVALUATED:
        return "an ordinary input was not evaluated"
    return f"an ordinary input scores {grade.score:g}"


def only_details(differing: list[str]) -> bool:
    """Whether nothing differs that a verdict depends on."""
    return differing == ["the details"]


def _first(expected: Expected) -> str:
    return "score" if expected.score is not None else "status"


def _meets(expected: Expected, grade: Grade) -> bool:
    if expected.score is None or grade.score is None:
        return expected.score == grade.score
    return abs(grade.score - expected.score) <= expected.tolerance + _ROUNDING
