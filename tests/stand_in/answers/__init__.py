"""One module per part of the API; importing them fills the table that `find` looks into."""

from tests.stand_in.answers import (
    actions,
    checks,
    comments,
    commits,
    contents,
    graphql,
    pulls,
    releases,
    uploads,
)
from tests.stand_in.exchange import find

__all__ = [
    "actions",
    "checks",
    "comments",
    "commits",
    "contents",
    "find",
    "graphql",
    "pulls",
    "releases",
    "uploads",
]
