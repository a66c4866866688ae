"""`markdown`: the comment on a pull request and the table of all cases, within GitHub's limit."""

from collections.abc import Iterator

from agentevals.model.outcome import Outcome
from agentevals.model.review import Review
from agentevals.report.pages import summary_page
from agentevals.text import markdown, wording

LIMIT = 65_536  # UTF-16 units; GitHub refuses a longer comment
_RESERVED = 4_000  # bytes kept for what stands below the cases


def render(review: Review) -> Iterator[str]:
    """The worst comes first, so that a cut costs only passing cases."""
    yield summary_page.render(review, LIMIT - _RESERVED)
    for outcome in review.sections[:1]:
        yield _footer(outcome)


def _footer(outcome: Outcome) -> str:
    """Write the time, tokens and calls that the agent needed."""
    known = wording.performance(outcome.report) if outcome.report else ()
    facts = [f"{subject}: {markdown.text(text, 200)}" for subject, text in known]
    return f"\n<sub>{'<br>'.join(facts)[: _RESERVED - 200]}</sub>\n" if facts else ""
