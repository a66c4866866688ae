"""A commit status: the answer in 140 characters. What a branch protection rule can ask for."""

from typing import NamedTuple

from agentevals.model.review import Review, State
from agentevals.report.pages import line
from agentevals.text import markdown

DESCRIPTION = 140  # characters
_STATES = {0: "success", 1: "failure"}


class Status(NamedTuple):
    """`state` in the words of GitHub's API."""

    state: str
    description: str


def status(review: Review) -> Status:
    headline = line.make_headline(review)
    state = "pending" if review.state is State.RUNNING else _STATES.get(review.exit_code, "error")
    return Status(state, markdown.write_title(headline.words, DESCRIPTION - 1))
