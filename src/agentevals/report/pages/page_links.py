"""Links of a page: to the repository of the review, and to the headings that explain its words.

We make them out of parts that were looked at.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote

from agentevals.model import project_links
from agentevals.model.outcome import Change, Outcome, Place
from agentevals.model.review import Review, Scene
from agentevals.report.pages.page_wording import TIED
from agentevals.text import markdown

_SERVER = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*")
_REPOSITORY = re.compile(r"(?!\.{1,2}/)[A-Za-z0-9_.-]+/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_RUN = re.compile(r"/actions/runs/[0-9]+(/(attempts|job|artifacts)/[0-9]+)?")
_SHORT = 7  # digits of a commit that people read
HEADINGS = {
    "how to read this": "docs/reading.md",
    "figures": "docs/action.md#the-table-of-figures",
    "limits and accepted failures": "docs/configs.md#the-gate",
    "not evaluated": "docs/configs.md#evidence-that-is-missing",
    "errors": "docs/action.md#errors",
    "base": "docs/action.md#what-it-is-compared-with",
    "fresh recordings": "docs/recording.md#fresh-recordings",
    "changed rules": "docs/action.md#changed-rules",
}
REMEDY = f"[what to do]({project_links.find_page('docs/reading.md#a-case-is-not-evaluated')})"


def to_place(label: str, place: Place | None, scene: Scene) -> str:
    """A permanent link to a line as it is at the head, or its name where there can be no link."""
    if place is None or not place.path:
        return ""
    line = place.line if place.line and place.line > 0 else None
    label = f"{label}{TIED}L{line}" if line else label
    url = _url(place.path, line, scene)
    if url:
        return f"[{label}]({url})"
    return f"{label} {markdown.code(place.path, 120)}"


def to_file(place: Place, scene: Scene) -> str:
    """The name of a file and its line, linked where there can be a link."""
    if not place.path:
        return ""
    line = place.line if place.line and place.line > 0 else None
    name = markdown.code(f"{place.path}:{line}" if line else place.path, 160)
    url = _url(place.path, line, scene)
    return f"[{name}]({url})" if url else name


def to_run(label: str, url: str, scene: Scene) -> str:
    """A link to a run of this repository; nothing for any other address."""
    return f"[{label}]({url})" if find_run(url, scene) else ""


def find_run(url: str, scene: Scene) -> str:
    """Return the address of a run of this repository; nothing for any other address."""
    home = _home(scene)
    is_run = home and url.startswith(home) and _RUN.fullmatch(url.removeprefix(home))
    return url if is_run else ""


def find_url(place: Place, scene: Scene) -> str:
    """Return the address of a line as it is at the head; nothing where there can be none."""
    line = place.line if place.line and place.line > 0 else None
    return _url(place.path, line, scene)


def commit(sha: str) -> str:
    """The beginning of a commit, as code."""
    return markdown.code(short(sha), 40) if sha else ""


def short(sha: str) -> str:
    return sha[:_SHORT] if _COMMIT.fullmatch(sha) else sha


def is_within_repository(path: str) -> bool:
    """Return whether a path can only mean a file of the repository."""
    parts = path.split("/")
    return bool(path) and path.isprintable() and "\\" not in path and not {"", ".", ".."} & {*parts}


def _url(path: str, line: int | None, scene: Scene) -> str:
    home = _home(scene)
    if not home or not _COMMIT.fullmatch(scene.head_sha) or not is_within_repository(path):
        return ""
    quoted = "/".join(quote(part, safe="") for part in path.split("/"))
    return f"{home}/blob/{scene.head_sha}/{quoted}" + (f"#L{line}" if line else "")


def _home(scene: Scene) -> str:
    if _SERVER.fullmatch(scene.server_url) and _REPOSITORY.fullmatch(scene.repository):
        return f"{scene.server_url}/{scene.repository}"
    return ""


def explain(review: Review) -> str:
    """Link the words that the page uses, in the order in which a reader meets them."""
    used = {"how to read this"}.union(*map(_list_used, review.sections))
    used |= {"changed rules"} if review.rules else set()
    shown = (word for word in HEADINGS if word in used)
    links = (f"[{word}]({project_links.find_page(HEADINGS[word])})" for word in shown)
    return f"<sub>Help: {' · '.join(links)}</sub>\n"


def _list_used(outcome: Outcome) -> Iterator[str]:
    gates = outcome.gates
    found = {
        "figures": bool(gates),
        "limits and accepted failures": any(gate.limit for gate in gates)
        or bool(outcome.counts.accepted),
        "not evaluated": bool(outcome.unknown and outcome.unknown.cases)
        or any(gate.change is Change.NOT_EVALUATED for gate in gates),
        "errors": bool(outcome.counts.errors),
        "base": outcome.against.state is not None or outcome.against.origin is not None,
        "fresh recordings": bool(outcome.freshness and not outcome.freshness.is_complete),
    }
    yield from (word for word, is_used in found.items() if is_used)
