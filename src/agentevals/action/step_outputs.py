"""The outputs of the step, for what comes after it in the workflow."""

from collections.abc import Mapping, Sequence

import msgspec

from agentevals.action.job import Job
from agentevals.github.runner import outputs
from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.report.pages import line

_NOT_EVALUATED = "not-evaluated"


def set_outputs(job: Job, reviews: Sequence[Review], addresses: Mapping[str, str]) -> None:
    """Everything that `runner.outputs.OUTPUTS` lists, as far as there is something to say."""
    every = tuple(section for review in reviews for section in review.sections)
    worst = max(reviews, key=lambda review: (review.exit_code, review.verdict is Verdict.FAIL))
    review = msgspec.structs.replace(worst, sections=every)
    counts = review.counts
    scores = [section.score for section in every if section.score is not None]
    values = {
        "verdict": _verdict(worst, reviews),
        "score": f"{sum(scores) / len(scores):.4f}" if scores else "",
        "passed": str(counts.passed + counts.borderline),
        "failed": str(counts.failed),
        "regressed": str(counts.regressed),
        "improved": str(counts.fixed),
        **addresses,
    }
    for note in outputs.set_outputs(job.environ, values, details=list(_details(review))):
        job.log.warning(note)


def set_unevaluated(job: Job) -> None:
    """The verdict alone, where there was nothing to do."""
    outputs.set_outputs(job.environ, {"verdict": _NOT_EVALUATED})


def _verdict(worst: Review, reviews: Sequence[Review]) -> str:
    if worst.state is State.BROKEN or worst.exit_code > 1:
        return "error"
    evaluated = line.is_evaluated(*reviews)
    if any(map(_fails, reviews)) or (evaluated and worst.verdict is Verdict.FAIL):
        return "failed"
    return "passed" if evaluated else _NOT_EVALUATED


def _fails(review: Review) -> bool:
    """Whether a config with a score fails, whatever became of the others."""
    return any(
        section.verdict is Verdict.FAIL and section.counts.cases > section.counts.unscored
        for section in review.sections
    )


def _details(review: Review) -> list[str]:
    """From the fullest to the smallest; whole runs are in report.json alone."""
    without = [msgspec.structs.replace(s, report=None) for s in review.sections]
    shorter = [msgspec.structs.replace(s, highlights=(), findings=()) for s in without]
    return [
        msgspec.json.encode(msgspec.structs.replace(review, sections=tuple(sections))).decode()
        for sections in (without, shorter, [])
    ]
