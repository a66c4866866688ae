"""The outputs of the step, for what comes after it in the workflow."""

from collections.abc import Mapping

import msgspec

from agentevals.action.job import Job
from agentevals.report import Verdict
from agentevals.review import Review, State
from agentevals.runner import outputs


def set_outputs(job: Job, review: Review, addresses: Mapping[str, str]) -> None:
    """Everything that `runner.outputs.OUTPUTS` lists, as far as there is something to say."""
    counts = review.counts
    scores = [section.score for section in review.sections if section.score is not None]
    values = {
        "verdict": _verdict(review),
        "score": f"{sum(scores) / len(scores):.4f}" if scores else "",
        "passed": str(counts.passed + counts.borderline),
        "failed": str(counts.failed),
        "regressed": str(counts.regressed),
        "improved": str(counts.fixed),
        **addresses,
    }
    for note in outputs.set_outputs(job.environ, values, details=list(_details(review))):
        job.log.warning(note)


def _verdict(review: Review) -> str:
    if review.state is State.BROKEN or review.exit_code > 1:
        return "error"
    return "failed" if review.verdict is Verdict.FAIL else "passed"


def _details(review: Review) -> list[str]:
    """From the fullest to the smallest; whole runs are in report.json alone."""
    without = [msgspec.structs.replace(s, report=None) for s in review.sections]
    shorter = [msgspec.structs.replace(s, highlights=(), findings=()) for s in without]
    return [
        msgspec.json.encode(msgspec.structs.replace(review, sections=tuple(sections))).decode()
        for sections in (without, shorter, [])
    ]
