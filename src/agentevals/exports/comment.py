"""`comment.md`: what the pull request is told, for whoever posts it by other means."""

from collections.abc import Iterator

from agentevals.pages import comment
from agentevals.review import Review

FILE = "comment.md"


def render(review: Review) -> Iterator[str]:
    """As long as a comment may be."""
    yield comment.render(review)
