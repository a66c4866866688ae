"""A list of cases as people read it: the verdict, then one line per case."""

from collections.abc import Iterator, Sequence

from agentevals.model.outcome import Kind
from agentevals.report import baseline_changes
from agentevals.report.case_list import Choice, End, Line, Listed
from agentevals.report.outputs.table import headline
from agentevals.text import wording
from agentevals.text.terminal import WIDTH, Ink, Pen, clip, line, pad, plain, width

_NARROWEST = 60
_NAME = 40  # columns that the name of a case may take
_SCORE = 5
_SIGNS = {
    End.PASSED: ("✓", Ink.GOOD),
    End.BORDERLINE: ("~", Ink.WARN),
    End.FAILED: ("✗", Ink.BAD),
    End.ERROR: ("!", Ink.BAD),
    End.NOT_EVALUATED: (wording.NOTHING, Ink.WARN),
}


def render(
    listed: Sequence[Listed], choice: Choice, *, colour: bool = False, width: int = WIDTH
) -> Iterator[str]:
    """One config after the other; it is named where there are several."""
    pen, columns = Pen(colour), max(width, _NARROWEST)
    for at, one in enumerate(listed):
        yield "\n" if at else ""
        yield from map(line, headline(one.outcome, one.report, pen, columns))
        if len(listed) > 1:
            yield line(
                f"{pen('config', Ink.QUIET)}  {clip(plain(one.listing.config), columns - 8)}"
            )
        yield "\n"
        yield from map(line, _list(one, choice, pen, columns))


def _list(one: Listed, choice: Choice, pen: Pen, columns: int) -> Iterator[str]:
    found = one.listing
    names = max((width(plain(each.case_id, _NAME * 2)) for each in found.lines), default=0)
    for each in found.lines:
        yield _write(each, min(names, _NAME), pen, columns)
    if choice.narrows:
        count = f"{len(found.lines):,} of {wording.plural(found.named, 'case')}"
        yield from ("", pen(count, Ink.QUIET)) if found.lines else (pen(count, Ink.QUIET),)
    if more := found.cases - found.named:
        yield pen(f"{wording.plural(more, 'more case')} that this report does not name", Ink.QUIET)


def _write(one: Line, room: int, pen: Pen, columns: int) -> str:
    sign, ink = _SIGNS[one.status]
    name, score = pad(plain(one.case_id), room), f"{wording.score(one.score):<{_SCORE}}"
    told = clip(plain("; ".join(_list_reasons(one))), columns - room - width(score) - 6)
    shown = pen(told, Ink.QUIET) if one.status is End.PASSED else told
    loud = score if one.status is End.PASSED else pen(score, ink)
    return f"{pen(sign, ink)} {name}  {loud}  {shown}"


def _list_reasons(one: Line) -> Iterator[str]:
    if Kind.REGRESSED in one.changes:
        yield f"regressed from {baseline_changes.write_standing(one.base)}"
    yield from filter(None, (one.accepted, one.attempts))
    yield from one.because
