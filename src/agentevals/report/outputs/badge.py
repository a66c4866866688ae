"""`badge.json`: the endpoint format of shields, for a badge of the base branch."""

from collections.abc import Iterator

from agentevals.compare import settlement
from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.report.pages import first_line
from agentevals.text.json_text import Members, document

FILE = "badge.json"

_COLOURS = {Verdict.PASS: "brightgreen", Verdict.BORDERLINE: "yellow", Verdict.FAIL: "red"}
_SAID = {
    State.RUNNING: ("running", "blue"),
    State.BROKEN: ("error", "lightgrey"),
    State.CANCELLED: ("cancelled", "lightgrey"),
}


def render(review: Review) -> Iterator[str]:
    """Numbers and words of ours only: a badge is shown where nobody expects foreign text."""
    lost = review.state is State.DONE and settlement.split_unevaluated(review)
    state = State.BROKEN if lost else review.state
    message, colour = _SAID.get(state) or _describe_cases(review)
    shown = {"schemaVersion": 1, "label": "agent evals", "message": message, "color": colour}
    return document(Members(shown.items()))


def _describe_cases(review: Review) -> tuple[str, str]:
    counts = review.counts
    if review.verdict is Verdict.ERROR:
        return _SAID[State.BROKEN]
    if review.verdict is None or not first_line.is_evaluated(review):
        return "not evaluated", "lightgrey"
    regressed = f", {counts.regressed:,} regressed" if counts.regressed else ""
    accepted = f", {counts.accepted:,} accepted" if counts.accepted else ""
    message = f"{counts.passed:,} of {counts.cases:,} passed{regressed}{accepted}"
    return message, _COLOURS[review.verdict]
