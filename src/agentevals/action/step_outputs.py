"""The outputs of the step, for later steps of the workflow."""

from collections.abc import Mapping, Sequence

import msgspec

from agentevals.action.job import Job
from agentevals.github.runner import outputs
from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.report.pages import line

_NOT_EVALUATED = "not-evaluated"


def set_outputs(job: Job, reviews: Sequence[Review], addresses: Mapping[str, str]) -> None:
    """Set the outputs that `runner.outputs.OUTPUTS` lists, as far as they have a value."""
    every = tuple(section for review in reviews for section in review.sections)
    worst = max(reviews, key=lambda review: (review.exit_code, review.verdict is Verdict.FAIL))
    review = msgspec.structs.replace(worst, sections=every)
    counts = review.counts
    scores = [section.score for section in every if section.score is not None]
    values = {
        "verdict": _name_verdict(worst, reviews),
        "score": f"{sum(scores) / len(scores):.4f}" if scores else "",
        "passed": str(counts.passed + counts.borderline),
        "failed": str(counts.failed),
        "regressed": str(counts.regressed),
        "improved": str(counts.fixed),
        **addresses,
    }
    for note in outputs.set_outputs(job.environ, values, details=list(_encode_details(review))):
        job.log.warning(note)


def set_unevaluated(job: Job) -> None:
    """Set the verdict alone, if there was nothing to evaluate."""
    outputs.set_outputs(job.environ, {"verdict": _NOT_EVALUATED})


def _name_verdict(worst: Review, reviews: Sequence[Review]) -> str:
    if worst.state is State.BROKEN or worst.exit_code > 1:
        return "error"
    evaluated = line.is_evaluated(*reviews)
    if any(map(_has_failed, reviews)) or (evaluated and worst.verdict is Verdict.FAIL):
        return "failed"
    return "passed" if evaluated else _NOT_EVALUATED


def _has_failed(review: Review) -> bool:
    """Return whether a config with a score fails, whatever the other configs did."""
    return any(
        section.verdict is Verdict.FAIL and section.counts.cases > section.counts.unscored
        for section in review.sections
    )


def _encode_details(review: Review) -> list[str]:
    """Encode the review, from the fullest to the smallest. Whole runs are in report.json alone."""
    without = [msgspec.structs.replace(s, report=None) for s in review.sections]
    shorter = [msgspec.structs.replace(s, highlights=(), findings=()) for s in without]
    return [
        msgspec.json.encode(msgspec.structs.replace(review, sections=tuple(sections))).decode()
        for sections in (without, shorter, [])
    ]
