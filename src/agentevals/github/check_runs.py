"""Check runs (made, completed, annotated some at a time, found again) and commit statuses."""

import re
import uuid
from collections.abc import Iterator
from typing import Any

import msgspec

from agentevals.github.api import Api
from agentevals.github.api_calls import Again, Purpose, build_path, make_once
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

SUMMARY_BYTES = 65_535
TEXT_BYTES = 65_535
ANNOTATIONS_AT_ONCE = 50
MESSAGE_BYTES = 64 * 1024  # of one annotation
TITLE_CHARACTERS = 255  # of one annotation
ACTIONS = "github-actions"  # the app that GITHUB_TOKEN belongs to
_WRITE = Purpose(deed="write a check run", needs="checks: write")
_READ = Purpose(deed="read the check runs", needs="checks: read")

# what the marks of our check runs begin with: those of reports that other runs have made
OWN, CLAIM = "agentevals-", "agentevals-claim-"
DESCRIPTION_CHARACTERS = 140
_WRITE_STATUS = Purpose(deed="write a commit status", needs="statuses: write")


class CheckAnnotation(Noun, frozen=True):
    """A remark on lines of a file. The level is `failure`, `warning` or `notice`."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str
    message: str
    title: str | None = None


class Output(Noun, frozen=True):
    """The page of a check run. GitHub requires the first two."""

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
    """The end of a check run: `success`, `failure`, `neutral` and so on, with its page."""

    conclusion: str
    output: Output
    annotations: tuple[CheckAnnotation, ...] = ()


def start(  # noqa: PLR0913 -- what GitHub wants to know, and how it is found again
    api: Api, repository: str, name: str, sha: str, *, summary: str, mark: str = ""
) -> Check:
    """Start a check run. `find_marked` finds it again by a mark that nobody else uses."""
    mark = mark or make_mark()
    wanted = {
        "name": name,
        "head_sha": sha,
        "status": "in_progress",
        "external_id": mark,
        "output": _build_output(Output(title="Running", summary=summary)),
    }
    place = build_path("repos", repository, "check-runs")
    return make_once(
        lambda: api.post(place, wanted, Check, to=_WRITE),
        lambda: find_marked(api, repository, name, sha, mark),
    )


def restart(api: Api, repository: str, check: Check, *, summary: str, mark: str) -> Check:
    """Begin a check run once more: another attempt of its run is the same check."""
    place = build_path("repos", repository, "check-runs", check.id)
    shown = _build_output(Output(title="Running", summary=summary))
    wanted = {"status": "in_progress", "external_id": mark, "output": shown}
    return api.patch(place, wanted, Check, to=_WRITE, again=Again.ANYWAY)


def is_earlier(check: Check, start: str, mark: "Mark") -> bool:
    """Return whether an earlier attempt of the run and job of that mark has begun a check run."""
    begun = f"{start}{mark.key}-{mark.run_id}-"
    number = (check.external_id or "").removeprefix(begun).partition("-")[0]
    known = (check.external_id or "").startswith(begun)
    return known and number.isdecimal() and int(number) < mark.attempt


def list_annotations(api: Api, repository: str, check: Check) -> list[CheckAnnotation]:
    """Return the remarks that a check run has already."""
    place = build_path("repos", repository, "check-runs", check.id, "annotations")
    return list(api.list_pages(place, CheckAnnotation, to=_READ))


class Mark(Noun, frozen=True):
    """The job and the run that have begun a check run. `key` is the same in every run of a job."""

    key: str = ""
    run_id: int = 0
    attempt: int = 1


_MARK = re.compile(rf"{OWN}([0-9a-f]*)-([0-9]{{1,18}})-([0-9]{{1,9}})-[0-9a-f]{{32}}")


def make_mark(start: str = OWN, mark: Mark = Mark()) -> str:  # noqa: B008 -- frozen
    """Return an `external_id` that no other check run has."""
    return f"{start}{mark.key}-{mark.run_id}-{mark.attempt}-{uuid.uuid4().hex}"


def read_mark(external_id: str) -> Mark | None:
    """Return what `make_mark` has written; None for the `external_id` of somebody else."""
    found = _MARK.fullmatch(external_id)
    return found and Mark(key=found[1], run_id=int(found[2]), attempt=int(found[3]))


def find_marked(api: Api, repository: str, name: str, sha: str, mark: str) -> Check | None:
    """Return the check run that was started with that mark, if GitHub has made it."""
    named = _list_named(api, repository, sha, name)
    return next((check for check in named if check.external_id == mark), None)


def conclude(api: Api, repository: str, check: Check, ending: Ending) -> Check:
    """Send the verdict with the first annotations, then the other annotations."""
    place = build_path("repos", repository, "check-runs", check.id)
    shown = _build_output(ending.output)
    document = {"status": "completed", "conclusion": ending.conclusion}
    rest, count = ending.annotations, check.output.annotations_count
    while True:
        part, rest = rest[:ANNOTATIONS_AT_ONCE], rest[ANNOTATIONS_AT_ONCE:]
        remarks = [_shorten(annotation) for annotation in part]
        wanted = {**document, "output": {**shown, "annotations": remarks}}
        count += len(part)
        done = _change(api, place, wanted, count)
        if not rest:
            return done


def list_checks(
    api: Api, repository: str, sha: str, name: str, *, app: str = ACTIONS
) -> list[Check]:
    """Return the app's check runs of that name, the newest first. Any app may use any name."""
    found = _list_named(api, repository, sha, name)
    ours = [check for check in found if check.app and check.app.slug == app]
    return sorted(ours, key=lambda check: -check.id)


def is_judged(api: Api, repository: str, sha: str, name: str) -> bool:
    """Return whether a run of our own has begun to judge the commit, as far as we may know."""
    try:
        marks = [check.external_id or "" for check in list_checks(api, repository, sha, name)]
    except UnavailableError:
        return False
    return any(mark.startswith(OWN) and not mark.startswith(CLAIM) for mark in marks)


def _change(api: Api, place: str, wanted: dict[str, Any], count: int) -> Check:
    """Send one change. Annotations add up, so a change whose answer was lost is not repeated."""

    def find_landed() -> Check | None:
        now = api.get(place, Check, to=_READ)
        there = now.output.annotations_count >= count and now.conclusion == wanted["conclusion"]
        return now if there else None

    again = Again.IF_REFUSED
    return make_once(lambda: api.patch(place, wanted, Check, to=_WRITE, again=again), find_landed)


def _list_named(api: Api, repository: str, sha: str, name: str) -> Iterator[Check]:
    place = build_path("repos", repository, "commits", sha, "check-runs")
    query = {"check_name": name, "filter": "all"}
    return api.list_pages(place, Check, to=_READ, query=query, key="check_runs")


def _build_output(output: Output) -> dict[str, str]:
    """Cut texts that are too long: GitHub would refuse the whole check run."""
    parts = {"title": output.title, "summary": _cut(output.summary or "", SUMMARY_BYTES)}
    parts["text"] = _cut(output.text or "", TEXT_BYTES)
    return {name: words for name, words in parts.items() if words}


def _shorten(annotation: CheckAnnotation) -> CheckAnnotation:
    message = _cut(annotation.message, MESSAGE_BYTES)
    title = annotation.title and annotation.title[:TITLE_CHARACTERS]
    return msgspec.structs.replace(annotation, message=message, title=title)


def _cut(text: str, size: int) -> str:
    data = text.encode()
    return text if len(data) <= size else data[: size - 3].decode(errors="ignore") + "…"


class Status(Noun, frozen=True):
    """The state of a commit: `error`, `failure`, `pending` or `success`."""

    state: str
    context: str
    description: str | None = ""
    target_url: str | None = ""


def write_status(api: Api, repository: str, sha: str, status: Status) -> None:
    """Write a status. Writing it twice does no harm: the newest of a name counts."""
    description = status.description or ""
    if len(description) > DESCRIPTION_CHARACTERS:
        description = description[: DESCRIPTION_CHARACTERS - 1].rstrip() + "…"
    document = {"state": status.state, "context": status.context, "description": description}
    if status.target_url:
        document["target_url"] = status.target_url
    place = build_path("repos", repository, "statuses", sha)
    api.post(place, document, Status, to=_WRITE_STATUS, again=Again.ANYWAY)
