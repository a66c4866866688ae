"""The job summary: what the comment says, the trend as a diagram, and every case."""

from collections.abc import Iterator
from functools import partial
from math import isfinite

from agentevals.model.outcome import Outcome, Point
from agentevals.model.review import Review
from agentevals.report.pages import case_table, comment_digest, first_line, page_layout, page_links
from agentevals.report.pages.page_shortening import STAGES, SUMMARY, fitting, octets
from agentevals.text import markdown

_POINTS = 30  # runs in a diagram
_AT_LEAST = 2  # of them


def render(review: Review, limit: int = SUMMARY) -> str:
    """Within that many bytes; what is already in the file has to be subtracted."""
    made = (partial(page_layout.page, page_layout.parts(review, stage)) for stage in STAGES)
    page = fitting(made, limit, octets)
    if page is None:
        bare = first_line.banner(first_line.make_headline(review))
        return bare if octets(bare) <= limit else ""
    for piece in _pieces(review, limit - octets(page)):
        page += piece
    return page


def _pieces(review: Review, room: int) -> Iterator[str]:
    for outcome in review.sections:
        for make in (chart, case_table.list_cases):
            piece = make(outcome, room - 1)
            if piece and octets(piece) < room:
                room -= octets(piece) + 1
                yield f"\n{piece}"


def chart(outcome: Outcome, _room: int = SUMMARY) -> str:
    """The pass rate of the last runs of the base branch, for GitHub to draw."""
    known = [(p, p.pass_rate) for p in outcome.trend[-_POINTS:] if p.pass_rate is not None]
    shown = [(point, rate) for point, rate in known if isfinite(rate)]
    if len(shown) < _AT_LEAST:
        return ""
    title = markdown.label(comment_digest.name_config(outcome))
    lines = [
        "xychart-beta",
        f'title "Pass rate of {title} on the base branch"',
        f"x-axis [{', '.join(_commit(point) for point, _ in shown)}]",
        'y-axis "percent" 0 --> 100',
        f"line [{', '.join(f'{min(1, max(0, rate)) * 100:.1f}' for _, rate in shown)}]",
    ]
    return markdown.fence(lines, "mermaid")


def _commit(point: Point) -> str:
    return f'"{markdown.label(page_links.short(point.commit), 7)}"'
