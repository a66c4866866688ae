"""The last lines of the log of a step: the verdict, the worst failures, and where to read on."""

from collections.abc import Iterator, Mapping, Sequence

from agentevals.action.job import Job
from agentevals.model.outcome import Highlight, Kind, Outcome, Place
from agentevals.model.review import Review, State
from agentevals.report import fail_on
from agentevals.report.pages import first_line
from agentevals.text import wording

_FAILURES = 3  # that are named
_ID, _TEXT = 100, 200  # characters of a case, and of a reason
_TOLD = {State.UNCHANGED, State.UNAFFECTED}  # an annotation has said it
_WHERE = {
    "comment-url": "comment",
    "check-url": "check",
    "artifact-url": "report",
    "report": "report folder",
}


def close(job: Job, reviews: Sequence[Review], addresses: Mapping[str, str]) -> None:
    """Write the lines, outside of any group, so that nobody has to unfold one."""
    for review in reviews:
        headline = first_line.make_headline(review)
        next_ = [headline.step.words] if headline.step else []
        if review.state in _TOLD:
            job.log.notice(" ".join((headline.words, *next_)))
            continue
        failures = (f"  {sentence}" for sentence in _list_failures(review))
        for told in (headline.words, *failures, *next_):
            job.log.log(told)
    for name, what in _WHERE.items():
        if address := addresses.get(name):
            job.log.log(f"{what}: {address}")
    if job.context.run_url:
        job.log.log(f"summary: {job.context.run_url}")


def _list_failures(review: Review) -> Iterator[str]:
    """Yield the worst failures of all configs, and how many more there are."""
    found = [(outcome, one) for outcome in review.sections for one in _choose(outcome)]
    found.sort(key=lambda pair: (fail_on.warns(*pair), list(Kind).index(pair[1].kind)))
    several = len(review.sections) > 1
    for outcome, one in found[:_FAILURES]:
        yield _describe(outcome, one, f"{outcome.config}: " if several else "")
    fallen = sum(fail_on.fails_run(outcome, one) for outcome, one in found)
    more = review.counts.failed - review.counts.accepted + fallen - _FAILURES
    if more > 0 and len(found) > _FAILURES:
        yield f"and {wording.plural(more, 'more failed case')}"


def _choose(outcome: Outcome) -> list[Highlight]:
    """Return the cases that fail, or of which fewer attempts pass, and nobody answers for."""
    fails = (one for one in outcome.highlights if one.fails or fail_on.is_fall(one))
    return [one for one in fails if not one.accepted or one.expired]


def _describe(outcome: Outcome, one: Highlight, config: str) -> str:
    kind = f"{one.kind.value}, a warning" if fail_on.warns(outcome, one) else one.kind.value
    reason = one.reasons[0] if one.reasons else None
    fall = f": {fail_on.describe(one)}" if fail_on.is_fall(one) else ""
    why = f"{fall}: {reason.evaluator}: {reason.text[:_TEXT]}" if reason else fall
    return f"{config}{one.case_id[:_ID]} ({kind}){why}{_locate(one.trace)}"


def _locate(place: Place | None) -> str:
    if place is None:
        return ""
    return f" ({place.path}:{place.line})" if place.line else f" ({place.path})"
