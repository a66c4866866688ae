"""The one comment that several jobs write to: each replaces its own sections and keeps the others'.

What is read back was published by us, and is still believed only as far as its form goes: a body
that is not exactly of our making counts as empty.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from agentevals.model.results import Verdict
from agentevals.model.review import Review, State
from agentevals.report.pages import comment_digest, first_line, page_layout, page_links
from agentevals.report.pages.comment_digest import Digest
from agentevals.report.pages.page_layout import BEGIN, END, Part
from agentevals.report.pages.page_shortening import COMMENT, STAGES, Stage, characters, fitting
from agentevals.text import markdown, wording

_VERSION = "v1"
_KEY = 200  # characters of a comment's key
_LONGEST = 4 * COMMENT  # characters of a body that is looked at
_MOST = 500  # sections
_BEGIN = re.compile(BEGIN.format(rf"([A-Za-z0-9_.=-]{{4,{page_layout.LARGEST + 100}}})"))


class Merged(NamedTuple):
    """The new body, or the old one where something newer of the same writer is in it already."""

    body: str
    superseded: bool = False


def marker(key: str) -> str:
    """The hidden line that a comment of ours begins with."""
    written = quote(key[:_KEY], safe="/ ", errors="replace").replace(" ", "+")
    return f"<!-- agentevals:{_VERSION} key={written.replace('--', '-%2D')} -->"


def merge(old: str | None, review: Review, limit: int = COMMENT) -> Merged:
    """Our sections in the place of our older ones, all others as they are."""
    known = parse(old or "", review.key)
    own = comment_digest.make_all(review)
    ours = [part for part in known if part.digest.writer == own[0].writer]
    if any(_outranks(part.digest, own[0]) for part in ours):
        return Merged(old or "", superseded=True)
    others = [part for part in known if part.digest.writer != own[0].writer]
    return Merged(_fit(review, [_end_outdated(part, own[0]) for part in others], limit))


def _end_outdated(part: Part, own: Digest) -> Part:
    """Show the end of a run of an earlier push. If it still runs, it writes its result itself."""
    known = part.digest
    if known.state is not State.RUNNING or known.head == own.head or known.rank > own.rank:
        return part
    ended = msgspec.structs.replace(known, state=State.CANCELLED, verdict=Verdict.FAIL)
    return Part(ended, markdown.text(first_line.summarise([ended]).words))


def contains(body: str, review: Review) -> bool:
    """Return whether a body holds what this review says, or something newer of its writer."""
    own = comment_digest.make_all(review)
    found = [part for part in parse(body, review.key) if part.digest.writer == own[0].writer]
    if any(_outranks(part.digest, own[0]) for part in found):
        return True
    expected = {page_layout.facts(one) for one in own}
    return bool(found) and expected >= {page_layout.facts(part.digest) for part in found}


def _outranks(one: Digest, other: Digest) -> bool:
    """Return whether it stays: it is newer, or our own run beside a claim about that commit."""
    if one.head == other.head and one.claim != other.claim:
        return other.claim and one.state is not State.RUNNING
    return one.rank > other.rank


def is_running(body: str, review: Review) -> bool:
    """Return whether a body says that an earlier run of its writer evaluates."""
    own = comment_digest.make_all(review)[0]
    known = (part.digest for part in parse(body, review.key))
    return any(one.state is State.RUNNING for one in known if one.writer == own.writer)


def is_current(body: str, review: Review) -> bool:
    """Return whether the same run has written it, in any of its jobs, or in an earlier attempt."""
    own = comment_digest.make_all(review)[0]
    return any(
        (part.digest.head, part.digest.order[0]) == (own.head, own.order[0])
        for part in parse(body, review.key)
    )


def parse(body: str, key: str) -> list[Part]:
    """The sections of a comment; none of one that is not exactly of our making."""
    lines = body.replace("\r\n", "\n").split("\n") if len(body) <= _LONGEST else []
    if not lines or lines[0] != marker(key):
        return []
    try:
        found = list(_sections(lines[1:]))
    except ValueError:
        return []
    newest = sorted(found[:_MOST], key=lambda part: part.digest.rank)
    return list({(part.digest.writer, part.digest.key): part for part in newest}.values())


def _sections(lines: Sequence[str]) -> Iterator[Part]:
    """Return the texts between the markers; a ValueError if they do not alternate."""
    start = -1
    for at, text in enumerate(lines):
        begins, ends = text.startswith("<!-- agentevals:s"), text == END
        if (begins and start >= 0) or (ends and start < 0):
            raise ValueError(text)
        if begins:
            start = at
        elif ends:
            yield _part(lines[start], "\n".join(lines[start + 1 : at]).strip())
            start = -1
    if start >= 0:
        raise ValueError(lines[start])


def _part(begin: str, text: str) -> Part:
    """A section that is not what its writer published is reduced to what is known of it."""
    match = _BEGIN.fullmatch(begin)
    known = page_layout.decode(match.group(1)) if match else None
    if known is None:
        raise ValueError(begin)
    part = Part(known, text)
    return part if known.checksum == page_layout.checksum(text) else page_layout.shorten(part)


def _fit(review: Review, others: list[Part], limit: int) -> str:
    """First the others are cut to a line, then ours is, stage by stage; at last some are left."""
    short = [page_layout.shorten(part) for part in others]
    made: list[Callable[[], str]] = [lambda: _body(review, [*page_layout.parts(review), *others])]
    made += [partial(_make_staged, review, short, stage) for stage in STAGES]
    return fitting(made, limit, characters) or _fewest(review, short, limit)


def _make_staged(review: Review, others: Sequence[Part], stage: Stage) -> str:
    return _body(review, [*page_layout.parts(review, stage), *others])


def _fewest(review: Review, others: Sequence[Part], limit: int) -> str:
    """As many as fit, ours first."""
    known = [
        *(page_layout.shorten(part) for part in page_layout.parts(review, STAGES[-1])),
        *others,
    ]
    for count in range(len(known), 0, -1):
        more = len(known) - count
        said = f"\n*{wording.plural(more, 'more config')} in the summaries of the runs.*\n"
        body = _body(review, known[:count]) + (said if more else "")
        if characters(body) <= limit:
            return body
    return f"{marker(review.key)}\n{first_line.banner(first_line.make_headline(review))}"


def _body(review: Review, parts: Sequence[Part]) -> str:
    return f"{marker(review.key)}\n{page_layout.page(parts, marked=True)}"


def render(review: Review, limit: int = COMMENT) -> str:
    """Write the comment of a review that has it for itself."""
    return merge(None, review, limit).body


def explain_superseded(review: Review) -> str:
    """Write what an older run says in its own summary, since the comment is not its any more."""
    scene = review.scene
    run = page_links.to_run("This run", scene.run_url, scene) or "This run"
    said = markdown.text(first_line.make_headline(review).sentence)
    return (
        f"> [!NOTE]\n> {run} was overtaken by a newer one, which has the comment. It says: {said}\n"
    )
