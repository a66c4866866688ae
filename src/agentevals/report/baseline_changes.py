"""The changes against the baseline, as a terminal shows them below the table of the run."""

from collections.abc import Iterator, Sequence

from agentevals.model.outcome import Change, Gate, Highlight, Kind, Outcome, Standing
from agentevals.report import fail_on
from agentevals.report.pages import page_cases, page_wording
from agentevals.report.pages.figure_rows import Row, describe_apart, describe_power, list_rows
from agentevals.text.terminal import WIDTH, Ink, Pen, clip, line, pad, plain, width, wrap
from agentevals.text.wording import NOTHING, plural

_TITLES = ("", "figure", "cases", "base", "this run", "difference", "limit")
_TOLD = {Change.REGRESSED, Change.IMPROVED}  # also of a figure without a limit
_MOST = 20  # names in a list
_PATHS = 5  # tool paths that are shown
_GAP = "  "
_LISTED = {
    Kind.ERROR: "in error",
    Kind.NOT_EVALUATED: "not evaluated",
    Kind.FIXED: "fixed",
    Kind.ADDED: "added",
    Kind.REMOVED: "removed",
    Kind.CHANGED: "expectation changed",
    Kind.FLAKY: "flaky",
}


def compare(outcome: Outcome, *, colour: bool = False, columns: int = WIDTH) -> Iterator[str]:
    """Write the baseline, the gates, and the cases that moved."""
    if outcome.stands_alone:
        return
    pen = Pen(colour)
    parts = (
        _against(outcome, pen, columns),
        _gates(outcome, pen, columns),
        _list_regressed(outcome, pen, columns),
        _list_moved(outcome, columns),
        _list_accepted(outcome, columns),
    )
    for part in parts:
        gap = "\n"
        for text in part:
            yield gap + line(text)
            gap = ""


def _against(outcome: Outcome, pen: Pen, columns: int) -> Iterator[str]:
    against, origin = outcome.against, outcome.against.origin
    path = plain(origin.path or origin.source) if origin else ""
    if against.state is None:
        paired = f"{against.paired:,} of {plural(outcome.counts.cases, 'case')} paired"
        if outcome.unknown and outcome.unknown.uncompared:
            paired += f", {outcome.unknown.uncompared:,} not comparable for want of evidence"
        yield pen(clip(f"compared with {path or 'the baseline'}: {paired}", columns), Ink.STRONG)
    elif origin is not None:
        reason = plain(f"not compared with {path or 'the baseline'}: {against.reason}")
        first, *rest = wrap(reason, columns - 2, 4)
        yield f"{pen('!', Ink.WARN)} {first}"
        yield from (f"  {text}" for text in rest)


def _gates(outcome: Outcome, pen: Pen, columns: int) -> Iterator[str]:
    """Without anything to compare with only what has a limit says something new."""
    compared = any(gate.base for gate in outcome.gates)
    shown = [row for row in list_rows(outcome) if compared or row.limit]
    if not shown:
        return
    rows = [list(_TITLES), *(_cells(row) for row in shown)]
    if not compared:
        rows = [[*row[:2], row[4], row[6]] for row in rows]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row, gate in zip(rows, [None, *shown], strict=True):
        text = _GAP.join(pad(cell, room) for cell, room in zip(row[1:], widths[1:], strict=True))
        if gate is None:
            yield pen(f"{_GAP}{text}", Ink.QUIET)
        else:
            yield from _row(text, gate, pen, columns)
    for sentence in filter(None, (describe_apart(outcome, "the base"), describe_power(outcome))):
        yield from wrap(sentence, columns, 3)


def _row(text: str, gate: Row, pen: Pen, columns: int) -> Iterator[str]:
    """The verdict stands at the end, or below where there is no room for it."""
    sign, ink = _sign(gate)
    tells = gate.limit or gate.change in _TOLD
    said = plain("; ".join(page_wording.explain(gate, plain))) if tells else ""
    beside = width(text) + width(said) + 4 <= columns
    yield f"{pen(sign, ink)} {text}{_GAP}{said if beside else ''}"
    if said and not beside:
        yield from (f"    {part}" for part in wrap(said, columns - 4, 3))


def _sign(gate: Gate) -> tuple[str, Ink]:
    if gate.fails:
        return "✗", Ink.BAD
    if gate.warns or gate.has_fallen:
        return "!", Ink.WARN
    return ("✓", Ink.GOOD) if gate.limit and not gate.reason else (NOTHING, Ink.QUIET)


def _cells(gate: Row) -> list[str]:
    shown = (
        plain(gate.name or gate.figure, 40),
        gate.cases or NOTHING,
        page_wording.figure(gate.base, gate.unit),
        page_wording.figure(gate.head, gate.unit),
        page_wording.difference(gate, interval=gate.by_interval),
        plain(gate.limit, 80) or NOTHING,
    )
    return ["", *(text.replace(page_wording.TIED, " ") for text in shown)]


def _list_regressed(outcome: Outcome, pen: Pen, columns: int) -> Iterator[str]:
    """The table above says why they fail; here is what they were, and how they came there."""
    found = [one for one in outcome.highlights if one.kind is Kind.REGRESSED]
    if not found:
        return
    yield pen(f"regressed ({outcome.counts.regressed:,})", Ink.STRONG)
    for at, one in enumerate(found[:_MOST]):
        change = f"{write_standing(one.was)} → {write_standing(one.now)}"
        name = clip(plain(one.case_id), columns - width(change) - 4)
        accepted = ", accepted" if one.accepted and not one.expired else ""
        yield f"{pen('✗', Ink.BAD)} {name}  {change}{accepted}"
        if at < _PATHS and one.calls_before and not one.expected_calls:
            calls = page_cases.path_difference(one.calls_before, one.calls_now)
            yield from (clip(f"    {write_call(call)}", columns) for call in calls)
    if more := outcome.counts.regressed - len(found[:_MOST]):
        yield f"  and {more:,} more"


def write_call(call: str) -> str:
    """A line of a difference keeps the sign that it begins with."""
    return call[:2] + plain(call[2:])


def write_standing(stood: Standing | None) -> str:
    """`pass 1.00`, and how many attempts passed where there were several."""
    return page_wording.standing(stood).replace(page_wording.TIED, " ").partition(" ")[2] or NOTHING


def _list_moved(outcome: Outcome, columns: int) -> Iterator[str]:
    for kind, title in _LISTED.items():
        names = [_name(one) for one in outcome.highlights if one.kind is kind]
        if names:
            count = max(len(names), getattr(outcome.counts, kind, 0))
            yield from wrap(f"{title} ({count:,}): {_list_names(names)}", columns, 4)
    if outcome.counts.removed_failing:
        yield f"! {plural(outcome.counts.removed_failing, 'removed case')} failed in the base"


def _name(one: Highlight) -> str:
    told = "; ".join(fail_on.describe_attempts(one))
    return plain(one.case_id, 100) + (f" ({told})" if told else "")


def _list_names(names: Sequence[str]) -> str:
    return page_wording.list_names(names, _MOST)


def _list_accepted(outcome: Outcome, columns: int) -> Iterator[str]:
    for one in [one for one in outcome.highlights if one.accepted is not None][:_MOST]:
        entry = one.accepted
        if entry is not None:
            said = "was accepted" if one.expired else "accepted"
            text = plain(f"{one.case_id}: {said} until {entry.until}: {entry.reason}")
            yield from wrap(f"{'!' if one.expired else '·'} {text}", columns, 2)
