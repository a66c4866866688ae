"""How sections of one or several writers make a page: the first line, the configs, the sections.

A hidden line of the comment carries the digest of a section, with the checksum of the text below.
"""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from agentevals.compare import settlement
from agentevals.model.outcome import Outcome
from agentevals.model.results import Finding, Severity
from agentevals.model.review import Review
from agentevals.report import overall_figures
from agentevals.report.pages import (
    comment_digest,
    figure_table,
    first_line,
    page_cases,
    page_links,
    page_notes,
    page_rules,
)
from agentevals.report.pages.comment_digest import NAME, Digest, cut
from agentevals.report.pages.page_shortening import FULL, Stage
from agentevals.text import markdown, wording

BEGIN, END = "<!-- agentevals:section {} -->", "<!-- agentevals:end -->"
_ICONS = "❌💥⛔✋⚠⏳⚪🟡✅"  # worst first
_HEAD = "| Config | Result | Cases | Regressed | Fixed |\n|:--|:--|--:|--:|--:|\n"
_TABLES = 5  # of what all cases together say
LARGEST = 1_024  # characters of an encoded digest
_DECODED = 8_192  # bytes that one may grow to
_NAMES = (
    *("config", "leg", "fallen", "figure", "cost", "base", "reason", "error"),
    *("rules", "pending", "approved", "stale"),
)


class Part(NamedTuple):
    """A finished section, and what it comes to. Only its next writer reads what is `hidden`."""

    digest: Digest
    text: str
    hidden: str = ""


def parts(review: Review, stage: Stage = FULL) -> list[Part]:
    """Return the parts of one review, and of the configs that it could not evaluate."""
    texts = [_render_outcome(review, one, stage) for one in review.sections or (None,)]
    texts += [_render_outcome(one, None, stage) for one in settlement.split_unevaluated(review)]
    digests = comment_digest.make_all(review)
    first, *others = (Part(one, text.strip()) for one, text in zip(digests, texts, strict=True))
    return [first._replace(hidden=page_rules.write_offers(review)), *others]


def shorten(part: Part) -> Part:
    """Only what its digest says, where there is no room for more."""
    said = first_line.summarise([part.digest]).words
    text = f"{markdown.text(said, 600)} *Cut to fit; the whole is in the summary of its run.*"
    return Part(part.digest, text)


def page(shown: Sequence[Part], *, marked: bool = False, alert: bool = True) -> str:
    """The whole page, worst first. Marked sections can be found again by the next writer."""
    headline = first_line.summarise([part.digest for part in shown])
    first = first_line.banner(headline) if alert else first_line.heading(headline)
    if len(shown) == 1:
        return f"{first}\n{_text(shown[0], marked=marked)}"
    latest = comment_digest.newest(part.digest for part in shown)
    head = latest.head if latest else ""
    named = comment_digest.shorten_configs([part.digest for part in shown])
    ranked = sorted(zip(named, shown, strict=True), key=lambda pair: _rank(pair[0], head))
    table = _HEAD + "".join(_row(one, head) for one, _ in ranked)
    blocks = [_block(one, head, _text(part, marked=marked)) for one, part in ranked]
    return "\n".join((first, table, *blocks))


def _rank(one: Digest, head: str) -> tuple[bool, int, str, str, str]:
    worst_first = _ICONS.index(first_line.summarise([one]).icon[0])
    return one.head != head, worst_first, one.name, one.writer, one.key


def _row(one: Digest, head: str) -> str:
    headline = first_line.summarise([one])
    earlier = "" if one.head == head else f" ({_earlier(one)})"
    counted = f"{one.passed}/{one.cases} passed" if one.is_scored else ""
    cells = (
        markdown.code(one.name),
        f"{headline.icon} {markdown.text(headline.what or headline.answer)}{earlier}",
        counted,
        f"{one.regressed or ''}",
        f"{one.fixed or ''}",
    )
    return f"| {' | '.join(cells)} |\n"


def _block(one: Digest, head: str, text: str) -> str:
    """Write a section: open if it needs attention, folded if it passed or was replaced."""
    headline = first_line.summarise([one])
    title = f"{headline.icon} {markdown.html_code(one.name)}"
    if one.head != head:
        return markdown.details(f"{title} {_earlier(one)}", text)
    if headline.icon == "✅":
        return markdown.details(f"{title} {markdown.html_text(headline.what)}", text)
    return f"### {title}\n\n{text}"


def _earlier(one: Digest) -> str:
    return f"from an earlier push, {markdown.html_code(page_links.short(one.head))}"


def _text(part: Part, *, marked: bool) -> str:
    if not marked:
        return f"{part.text}\n"
    text = "\n\n".join(filter(None, (part.text, part.hidden)))
    known = seal(part.digest, text)
    return f"{BEGIN.format(encode(known))}\n{text}\n\n{END}\n"


def _render_outcome(review: Review, outcome: Outcome | None, stage: Stage) -> str:
    """Blocks of finished Markdown, an empty line between them."""
    parts = chain(_blocks(review, outcome, stage), _end(review, outcome, stage))
    return "\n".join(part for part in parts if part)


def _blocks(review: Review, outcome: Outcome | None, stage: Stage) -> Iterator[str]:
    scene = review.scene
    if scene.secondhand:
        yield _FORK if scene.fork else _READ_ONLY
    if outcome is None or outcome is review.sections[0]:
        yield from page_rules.describe(review, stage)
    yield from page_notes.findings(_choose_findings(review, outcome), scene, stage)
    if outcome is None:
        return
    yield _explain_uncompared(outcome)
    yield _count_uncompared(outcome)
    yield from page_cases.warn_of_losses(outcome, stage)
    yield figure_table.table(outcome, scene.base_ref, stage)
    yield from page_cases.list_accepted(outcome, stage)
    yield from page_cases.worst(outcome, scene, stage)
    yield from page_cases.fold_others(outcome, stage)
    if stage.passing:
        yield from _together(outcome)
        yield figure_table.others(outcome, scene.base_ref)
        yield page_notes.trend(outcome, scene.base_ref)
        yield page_notes.cost(outcome)
        yield page_notes.reproduce(outcome)


def _together(outcome: Outcome) -> Iterator[str]:
    """Write the figures of all cases together, without a comparison."""
    if outcome.report is not None:
        yield from islice(overall_figures.tables(outcome.report), _TABLES)


def _end(review: Review, outcome: Outcome | None, stage: Stage) -> Iterator[str]:
    if stage.left_out:
        run = page_links.to_run("the run", review.scene.run_url, review.scene) or "the run"
        where = f"all of it is in the summary and the files of {run}"
        yield f"*Left out to fit: {stage.left_out}; {where}.*\n"
    if outcome in review.sections[-1:]:
        yield page_notes.name_report(review.scene)
    yield page_notes.footer(review, outcome)
    if stage.passing and outcome in review.sections[-1:]:
        yield page_links.explain(review)


def _choose_findings(review: Review, outcome: Outcome | None) -> tuple[Finding, ...]:
    """Return its own findings. Notes of the whole review are in its first section only."""
    if outcome is None:
        return review.notes
    if outcome is not review.sections[0]:
        return outcome.findings
    notes = (note for note in review.notes if note.severity is not Severity.ERROR)
    return (*notes, *outcome.findings)


def _explain_uncompared(outcome: Outcome) -> str:
    against = outcome.against
    if against.state is None or not against.reason:
        return ""
    return f"⚪ **Not compared with the base:** {markdown.text(against.reason, 600)}\n"


def _count_uncompared(outcome: Outcome) -> str:
    count = outcome.unknown.uncompared if outcome.unknown else 0
    if not count or outcome.against.state is not None:
        return ""
    verb = "is" if count == 1 else "are"
    said = f"{wording.plural(count, 'case')} {verb} not compared with the base"
    return f"⚪ **{said}**, because evidence is missing in this run or in the base.\n"


_FORK = "🍴 *From a fork: its own run reported these results, and nobody has checked them.*\n"
_READ_ONLY = "ℹ️ *These results are what a run without the right to publish them reported.*\n"  # noqa: RUF001 -- a sign


def encode(digest: Digest) -> str:
    """Encode in the alphabet of base64 for addresses: nothing in it can end a comment."""
    length = NAME
    while True:
        packed = zlib.compress(msgspec.json.encode(_shorten(digest, length)), 9)
        encoded = urlsafe_b64encode(packed).decode()
        if len(encoded) <= LARGEST or not length:
            return encoded.replace("--", "-.")
        length //= 2


def decode(encoded: str) -> Digest | None:
    """Strictly; None for whatever is not one."""
    unpacking = zlib.decompressobj()
    try:
        packed = urlsafe_b64decode(encoded.replace(".", "-").encode("ascii"))
        unpacked = unpacking.decompress(packed, _DECODED)
        return msgspec.json.decode(unpacked, type=Digest) if unpacking.eof else None
    except (ValueError, zlib.error, msgspec.MsgspecError):
        return None


def seal(digest: Digest, text: str) -> Digest:
    """With the checksum of what is published under it."""
    return msgspec.structs.replace(digest, checksum=checksum(text))


def facts(digest: Digest) -> Digest:
    """Without what may have been shortened on the way."""
    return msgspec.structs.replace(digest, checksum=None, **dict.fromkeys(_NAMES, ""))


def checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace")) % 10**9


def _shorten(digest: Digest, length: int) -> Digest:
    names = {name: cut(getattr(digest, name), length) for name in _NAMES}
    return msgspec.structs.replace(digest, **names)
