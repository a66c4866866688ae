"""`failures`: failing cases with their evidence and places, at most 60 kB, for coding agents."""

from collections.abc import Iterator

from agentevals.model.review import Review
from agentevals.report.pages import failures_page

FILE = "failures.md"


def render(review: Review) -> Iterator[str]:
    """Markdown, because a check run shows nothing else, and so both are the same bytes."""
    yield failures_page.render(review)
