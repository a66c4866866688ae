"""A check run of our own: the same first screen as the comment, and the cases that failed."""

from functools import partial
from itertools import chain
from typing import NamedTuple

from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.report.pages import (
    case_table,
    failures_page,
    first_line,
    line_annotations,
    page_layout,
)
from agentevals.report.pages.page_shortening import CHECK, STAGES, fitting, octets
from agentevals.sandbox.cancelling import EXIT_CODES
from agentevals.text import markdown, wording

TITLE = 255  # characters

DESCRIPTION = 140  # characters
_FOLD = 200  # bytes around what is folded
_STATES = {0: "success", 1: "failure"}


class Check(NamedTuple):
    """The texts of a check run, and how it ends in the words of GitHub's API."""

    title: str
    summary: str
    text: str
    conclusion: str


def check(review: Review, room: int = CHECK) -> Check:
    """`room` is how many bytes of the text are ours: what programs read back is in it as well."""
    headline = first_line.make_headline(review)
    made = (
        partial(page_layout.page, page_layout.parts(review, stage), alert=False) for stage in STAGES
    )
    summary = fitting(made, CHECK, octets) or first_line.heading(headline)
    title = markdown.write_title(_find_claimant(review) + headline.sentence, TITLE - 1)
    return Check(title, summary, _text(review, room), _conclusion(review))


def _conclusion(review: Review) -> str:
    """Nothing while it runs; what a failure is, only the exit code says."""
    if review.state is State.RUNNING:
        return ""
    if review.exit_code in EXIT_CODES:
        return "cancelled"
    if review.exit_code:
        return "failure"
    settled = review.state is State.UNAFFECTED or first_line.is_evaluated(review)
    return "success" if settled else "neutral"


def _text(review: Review, room: int) -> str:
    dropped = line_annotations.choose(review).dropped
    said = f"*{wording.plural(dropped, 'more annotation')} not shown.*\n" if dropped else ""
    room -= octets(said)
    pieces = [_fold_failures(review, room - 1)]
    room -= octets(pieces[0]) + 1
    for outcome in review.sections:
        piece = case_table.list_cases(outcome, room - 1)
        room -= octets(piece) + 1
        pieces.append(piece)
    return "\n".join(filter(None, chain([said], pieces)))


def _fold_failures(review: Review, room: int) -> str:
    """Return what `failures.md` holds, folded; nothing where nothing fails."""
    if not failures_page.has_failures(review):
        return ""
    page = failures_page.render(review, min(failures_page.LIMIT, room - _FOLD))
    return markdown.details("The failures for a coding agent", page) if page else ""


class Status(NamedTuple):
    """`state` in the words of GitHub's API."""

    state: str
    description: str


def make_status(review: Review) -> Status:
    headline = first_line.make_headline(review)
    state = "pending" if review.state is State.RUNNING else _STATES.get(review.exit_code, "error")
    if review.verdict is Verdict.ERROR and review.exit_code:
        state = "error"
    words = _find_claimant(review) + headline.words
    return Status(state, markdown.write_title(words, DESCRIPTION - 1))


def _find_claimant(review: Review) -> str:
    """Return who says it, if that is only a report which anybody may have made."""
    return "Its own run reports: " if review.scene.secondhand else ""
