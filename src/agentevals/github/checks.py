"""Check runs: made, completed, annotated some at a time, found again."""

import uuid
from collections.abc import Iterator
from typing import Any

import msgspec

from agentevals.github.api import Api
from agentevals.github.calls import Again, once, path
from agentevals.github.refusals import Purpose
from agentevals.model.noun import Noun

SUMMARY_BYTES = 65_535
TEXT_BYTES = 65_535
ANNOTATIONS_AT_ONCE = 50
MESSAGE_BYTES = 64 * 1024  # of one annotation
TITLE_CHARACTERS = 255  # of one annotation
ACTIONS = "github-actions"  # the app that GITHUB_TOKEN belongs to
_WRITE = Purpose(deed="write a check run", needs="checks: write")
_READ = Purpose(deed="read the check runs", needs="checks: read")


class Annotation(Noun, frozen=True):
    """A remark on lines of a file. The level is `failure`, `warning` or `notice`."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str
    message: str
    title: str | None = None


class Output(Noun, frozen=True):
    """What the page of a check run shows. GitHub wants the first two."""

    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations_count: int = 0


class App(Noun, frozen=True):
    """Whose check run it is."""

    id: int = 0
    slug: str = ""


class Check(Noun, frozen=True):
    """One check run on one commit."""

    id: int
    name: str = ""
    head_sha: str = ""
    status: str = ""
    conclusion: str | None = None
    html_url: str | None = None
    external_id: str | None = None
    completed_at: str | None = None
    output: Output = Output()
    app: App | None = None


class Ending(Noun, frozen=True):
    """How a check run ends: `success`, `failure`, `neutral` and so on, with all it shows."""

    conclusion: str
    output: Output
    annotations: tuple[Annotation, ...] = ()


def start(  # noqa: PLR0913 -- what GitHub wants to know, and how it is found again
    api: Api, repository: str, name: str, sha: str, *, summary: str, mark: str = ""
) -> Check:
    """A check run that is under way. `marked` finds it again by a mark that nobody else uses."""
    mark = mark or new_mark()
    wanted = {
        "name": name,
        "head_sha": sha,
        "status": "in_progress",
        "external_id": mark,
        "output": _shown(Output(title="Running", summary=summary)),
    }
    place = path("repos", repository, "check-runs")
    return once(
        lambda: api.post(place, wanted, Check, to=_WRITE),
        lambda: marked(api, repository, name, sha, mark),
    )


def new_mark() -> str:
    """Return what no other check run has as its `external_id`."""
    return f"agentevals-{uuid.uuid4()}"


def marked(api: Api, repository: str, name: str, sha: str, mark: str) -> Check | None:
    """The check run that was started with that mark, if GitHub has made it."""
    named = _named(api, repository, sha, name)
    return next((check for check in named if check.external_id == mark), None)


def conclude(api: Api, repository: str, check: Check, ending: Ending) -> Check:
    """The verdict first, and with it the annotations that fit; the others follow."""
    place = path("repos", repository, "check-runs", check.id)
    shown = _shown(ending.output)
    document = {"status": "completed", "conclusion": ending.conclusion}
    rest, count = ending.annotations, check.output.annotations_count
    while True:
        part, rest = rest[:ANNOTATIONS_AT_ONCE], rest[ANNOTATIONS_AT_ONCE:]
        remarks = [_fitting(annotation) for annotation in part]
        wanted = {**document, "output": {**shown, "annotations": remarks}}
        count += len(part)
        done = _changed(api, place, wanted, count)
        if not rest:
            return done


def publish(api: Api, repository: str, name: str, sha: str, ending: Ending) -> Check:
    """A check run from its beginning to its end."""
    check = start(api, repository, name, sha, summary=ending.output.summary or "")
    return conclude(api, repository, check, ending)


def of_commit(api: Api, repository: str, sha: str, name: str, *, app: str = ACTIONS) -> list[Check]:
    """Those of that name by that app, the newest first: anybody's app may use any name."""
    found = _named(api, repository, sha, name)
    ours = [check for check in found if check.app and check.app.slug == app]
    return sorted(ours, key=lambda check: -check.id)


def _changed(api: Api, place: str, wanted: dict[str, Any], count: int) -> Check:
    """Annotations add up, so that a change whose answer was lost must not be sent twice."""

    def landed() -> Check | None:
        now = api.get(place, Check, to=_READ)
        there = now.output.annotations_count >= count and now.conclusion == wanted["conclusion"]
        return now if there else None

    again = Again.IF_REFUSED
    return once(lambda: api.patch(place, wanted, Check, to=_WRITE, again=again), landed)


def _named(api: Api, repository: str, sha: str, name: str) -> Iterator[Check]:
    place = path("repos", repository, "commits", sha, "check-runs")
    query = {"check_name": name, "filter": "all"}
    return api.pages(place, Check, to=_READ, query=query, key="check_runs")


def _shown(output: Output) -> dict[str, str]:
    """What is too long is cut here at the latest: a check run that is refused shows nothing."""
    parts = {"title": output.title, "summary": _cut(output.summary or "", SUMMARY_BYTES)}
    parts["text"] = _cut(output.text or "", TEXT_BYTES)
    return {name: words for name, words in parts.items() if words}


def _fitting(annotation: Annotation) -> Annotation:
    message = _cut(annotation.message, MESSAGE_BYTES)
    title = annotation.title and annotation.title[:TITLE_CHARACTERS]
    return msgspec.structs.replace(annotation, message=message, title=title)


def _cut(text: str, size: int) -> str:
    data = text.encode()
    return text if len(data) <= size else data[: size - 3].decode(errors="ignore") + "…"
