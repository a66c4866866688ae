"""`comment.md`: what the pull request is told, for whoever posts it by other means."""

from collections.abc import Iterator

from agentevals.model.review import Review
from agentevals.report.pages import comment_page

FILE = "comment.md"


def render(review: Review) -> Iterator[str]:
    """As long as a comment may be."""
    yield comment_page.render(review)
