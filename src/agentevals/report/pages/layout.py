"""How sections of one or several writers make a page: the first line, the configs, the sections."""

from collections.abc import Sequence
from typing import NamedTuple

from agentevals.model.review import Review
from agentevals.report.pages import digest, line, links, section, unevaluated
from agentevals.report.pages.digest import Digest
from agentevals.report.pages.stages import FULL, Stage
from agentevals.text import markdown

BEGIN, END = "<!-- agentevals:section {} -->", "<!-- agentevals:end -->"
_ICONS = "❌⛔⚠⏳⚪🟡✅"  # worst first
_HEAD = "| Config | Result | Cases | Regressed | Fixed |\n|:--|:--|--:|--:|--:|\n"


class Part(NamedTuple):
    """A finished section, and what it comes to."""

    digest: Digest
    text: str


def parts(review: Review, stage: Stage = FULL) -> list[Part]:
    """Those of one review, and of what it could not evaluate."""
    texts = [section.render(review, one, stage) for one in review.sections or (None,)]
    texts += [section.render(one, None, stage) for one in unevaluated.configs(review)]
    return [
        Part(one, text.strip()) for one, text in zip(digest.make_all(review), texts, strict=True)
    ]


def shorten(part: Part) -> Part:
    """Only what its digest says, where there is no room for more."""
    said = line.summarise([part.digest]).words
    text = f"{markdown.text(said, 600)} *Cut to fit; the whole is in the summary of its run.*"
    return Part(part.digest, text)


def page(shown: Sequence[Part], *, marked: bool = False, alert: bool = True) -> str:
    """The whole page, worst first. Marked sections can be found again by the next writer."""
    headline = line.summarise([part.digest for part in shown])
    first = line.banner(headline) if alert else line.heading(headline)
    if len(shown) == 1:
        return f"{first}\n{_text(shown[0], marked=marked)}"
    latest = digest.newest(part.digest for part in shown)
    head = latest.head if latest else ""
    ranked = sorted(shown, key=lambda part: _rank(part.digest, head))
    table = _HEAD + "".join(_row(part.digest, head) for part in ranked)
    blocks = [_block(part, head, _text(part, marked=marked)) for part in ranked]
    return "\n".join((first, table, *blocks))


def _rank(one: Digest, head: str) -> tuple[bool, int, str, str, str]:
    worst_first = _ICONS.index(line.summarise([one]).icon[0])
    return one.head != head, worst_first, one.name, one.writer, one.key


def _row(one: Digest, head: str) -> str:
    headline = line.summarise([one])
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


def _block(part: Part, head: str, text: str) -> str:
    """What needs attention is open; what passed or was replaced is folded."""
    headline = line.summarise([part.digest])
    title = f"{headline.icon} {markdown.html_code(part.digest.name)}"
    if part.digest.head != head:
        return markdown.details(f"{title} {_earlier(part.digest)}", text)
    if headline.icon == "✅":
        return markdown.details(f"{title} {markdown.text(headline.what)}", text)
    return f"### {title}\n\n{text}"


def _earlier(one: Digest) -> str:
    return f"from an earlier push, {markdown.html_code(links.short(one.head))}"


def _text(part: Part, *, marked: bool) -> str:
    if not marked:
        return f"{part.text}\n"
    sealed = digest.seal(part.digest, part.text)
    return f"{BEGIN.format(digest.encode(sealed))}\n{part.text}\n\n{END}\n"
