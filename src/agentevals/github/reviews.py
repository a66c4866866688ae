"""Reviews of a pull request: who approves its newest commit."""

from agentevals.github.api import Api
from agentevals.github.calls import Purpose, build_path
from agentevals.github.comments import User
from agentevals.model.noun import Noun

_READ = Purpose(deed="read who approved the pull request", needs="pull-requests: read")
_APPROVED = "APPROVED"
_DECISIONS = frozenset({_APPROVED, "CHANGES_REQUESTED", "DISMISSED"})  # COMMENTED changes none


class _Review(Noun, frozen=True):
    state: str
    user: User | None = None
    commit_id: str | None = None


def list_approvers(api: Api, repository: str, number: int, commit: str) -> list[User]:
    """Return the people whose last decision approves this commit, not an earlier one."""
    place = build_path("repos", repository, "pulls", number, "reviews")
    last = {
        review.user.id: review
        for review in api.list_pages(place, _Review, to=_READ)
        if review.user and review.user.is_person and review.state in _DECISIONS
    }
    return [
        review.user
        for review in last.values()
        if review.user and review.state == _APPROVED and review.commit_id == commit
    ]
