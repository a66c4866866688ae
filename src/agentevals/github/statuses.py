"""Commit statuses: one line, and a name that a branch can require."""

from agentevals.github.api import Api
from agentevals.github.calls import Again, build_path
from agentevals.github.refusals import Purpose
from agentevals.model.noun import Noun

DESCRIPTION_CHARACTERS = 140
_WRITE = Purpose(deed="write a commit status", needs="statuses: write")


class Status(Noun, frozen=True):
    """The state of a commit: `error`, `failure`, `pending` or `success`."""

    state: str
    context: str
    description: str | None = ""
    target_url: str | None = ""


def write(api: Api, repository: str, sha: str, status: Status) -> None:
    """Write a status. Writing it twice does no harm: the newest of a name counts."""
    description = status.description or ""
    if len(description) > DESCRIPTION_CHARACTERS:
        description = description[: DESCRIPTION_CHARACTERS - 1].rstrip() + "…"
    document = {"state": status.state, "context": status.context, "description": description}
    if status.target_url:
        document["target_url"] = status.target_url
    place = build_path("repos", repository, "statuses", sha)
    api.post(place, document, Status, to=_WRITE, again=Again.ANYWAY)
