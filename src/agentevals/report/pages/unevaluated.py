"""Configs that could not be evaluated, in a run that has evaluated others."""

from collections.abc import Sequence

import msgspec

from agentevals.model.results import Finding, Severity, Verdict
from agentevals.model.review import Review, State
from agentevals.run.verdict import EXIT_CODES


def configs(review: Review) -> tuple[Review, ...]:
    """Return each as a review of its own: it has no section, only errors among the notes."""
    if not review.sections:
        return ()
    found: dict[str, list[Finding]] = {}
    for note in review.notes:
        if note.severity is Severity.ERROR:
            found.setdefault(note.path, []).append(note)
    return tuple(_alone(review, notes) for notes in found.values())


def _alone(review: Review, notes: Sequence[Finding]) -> Review:
    return msgspec.structs.replace(
        review,
        state=State.BROKEN,
        verdict=Verdict.FAIL,
        exit_code=EXIT_CODES.get(notes[0].blame, review.exit_code),
        sections=(),
        notes=tuple(notes),
    )
