"""Verdicts and figures as people write them; what cannot be said is a dash.

A sign is never alone, so that nobody needs to see its colour.
"""

from collections.abc import Callable, Iterable, Sequence
from math import isfinite

import msgspec

from agentevals.compare.gate_table import BROKEN
from agentevals.model.outcome import Change, Figure, Gate, Interval, Standing, Unit
from agentevals.model.results import Verdict
from agentevals.report.pages.figure_rows import Row
from agentevals.text import markdown, wording
from agentevals.text.wording import NOTHING

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
TIED = "\N{NO-BREAK SPACE}"  # what belongs together is not torn apart in a narrow column
_BARS, _GAP = "▃▄▅▆▇█", "·"
_FLAT = 0.01  # of the highest; less is noise
_HUGE = 1e15  # nobody reads the digits of more
_NAMED = 3  # figures that got worse
_TIE = 1e-9
_WORTH_SAYING = 0.05  # a smaller change of an amount is no headline
SIGNS = {
    Verdict.PASS: "✅",
    Verdict.BORDERLINE: "🟡",
    Verdict.FAIL: "❌",
    Verdict.ERROR: "💥",
}
WARNED, NEUTRAL, UNKNOWN = "⚠️", "•", "⚪"
_CHANGES = {
    Change.REGRESSED: "regressed",
    Change.IMPROVED: "improved",
    Change.UNCHANGED: "no difference seen",
    Change.NOT_EVALUATED: "not evaluated",
}


def figure(shown: Figure | None, unit: Unit) -> str:
    """A value, and of how many it is a share."""
    if shown is None:
        return NOTHING
    if shown.met is None or shown.of is None:
        return value(shown.value, unit)
    if not shown.attempts:
        return f"{value(shown.value, unit)} ({shown.met}/{shown.of})"
    # cases with unequal numbers of attempts count the same, so that the quotient is another
    equal = abs(shown.met / shown.of - shown.value) < _TIE
    return f"{value(shown.value, unit)} ({f'{shown.met}/' if equal else ''}{shown.of} attempts)"


def value(number: float | None, unit: Unit) -> str:
    if number is None or not isfinite(number):
        return NOTHING
    return tied(_WRITTEN[unit](number)) if abs(number) < _HUGE else f"{number:.2e}"


def difference(gate: Gate, *, interval: bool = False) -> str:
    """From the base to here, with its interval of confidence if a decision rests on it."""
    if gate.difference is None or not abs(gate.difference) < _HUGE:
        return NOTHING
    change = _ratio if gate.is_ratio else _make_signed(gate.unit)
    written = f"{TIMES if gate.is_ratio else ''}{change(gate.difference)}"
    written += f"{TIED}pp" if gate.unit is Unit.SHARE else ""
    moved = ((gate.better, "better"), (gate.worse, "worse"))
    told = ", ".join(f"{count:,} {how}" for count, how in moved if count)
    written += _interval(gate.interval, change) if interval else ""
    return f"{written}: {told}" if told and gate.pairs > 1 else written


def tied(short: str) -> str:
    return short.replace(" ", TIED)


def points(share: float) -> str:
    """A difference of shares without its sign: `9.0 pp`."""
    return f"{abs(share) * 100:.1f} pp"


def write_margin(margin: float, unit: Unit) -> str:
    """Write how far a figure may be from the base, either way: `± 5 pp`, `a factor of 1.2`."""
    if unit is Unit.SHARE:
        return f"± {margin * 100:g} pp"
    return f"± {margin:g}" if unit is Unit.SCORE else f"a factor of {margin:g}"


def percent(share: float) -> str:
    """One digit; what is not quite everything never looks like everything."""
    written = f"{share * 100:.1f}"
    return f"{'99.9' if written == '100.0' and share < 1 else written} %"


def sparkline(values: Iterable[float | None]) -> str:
    """One bar for each, from the lowest to the highest; what hardly moves is drawn flat."""
    known = [number if number is not None and isfinite(number) else None for number in values]
    there = [number for number in known if number is not None]
    low, high = min(there, default=0.0), max(there, default=0.0)
    flat = high - low <= _FLAT * abs(high)
    return "".join(
        _GAP if n is None else _bar(0.5 if flat else (n - low) / (high - low)) for n in known
    )


def _bar(share: float) -> str:
    return _BARS[round(share * (len(_BARS) - 1))]


def _interval(interval: Interval | None, change: Callable[[float], str]) -> str:
    if interval is None or not max(abs(interval.low), abs(interval.high)) < _HUGE:
        return ""
    return " " + tied(f"({change(interval.low)} … {change(interval.high)})")


def _make_signed(unit: Unit) -> Callable[[float], str]:
    digits, scale = (1, 100) if unit is Unit.SHARE else (2, 1)

    def change(number: float) -> str:
        written = f"{number * scale:+.{digits}f}"
        nought = not any(digit in written for digit in "123456789")
        return written[1:] if nought else written.replace("-", MINUS)

    return change


def _ratio(number: float) -> str:
    return f"{number:.2f}"


def _count(number: float) -> str:
    return f"{number:,.0f}"


_WRITTEN: dict[Unit, Callable[[float], str]] = {
    Unit.SHARE: percent,
    Unit.SCORE: wording.score,
    Unit.TOKENS: _count,
    Unit.MILLISECONDS: wording.duration,
    Unit.MONEY: wording.money,
}


def list_names(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`; the names are finished text."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def list_fallen(gates: Sequence[Gate]) -> str:
    """The names of those that got worse for certain."""
    return list_names([gate.name for gate in gates if gate.has_fallen], _NAMED)


def write_first(gates: Sequence[Gate]) -> str:
    """The first share tells most about a run; where there is none, the first figure does."""
    known = [gate for gate in gates if gate.head is not None]
    shares = [gate for gate in known if gate.unit is Unit.SHARE]
    for gate in (shares or known)[:1]:
        return f"{gate.name} {figure(gate.head, gate.unit)}{_since(gate)}"
    return ""


def _since(gate: Gate) -> str:
    if gate.difference is None or gate.base is None:
        return ""
    alone = difference(msgspec.structs.replace(gate, better=0, worse=0))
    if gate.paired:
        return f"; {alone} in the {wording.plural(gate.pairs, 'case')} that both have"
    return ", no difference seen" if gate.change is Change.UNCHANGED else f", {alone}"


def write_cost(gates: Sequence[Gate]) -> str:
    """Write how the cost has changed, if that is worth a word."""
    for gate in gates:
        known = gate.unit is Unit.MONEY and gate.difference is not None
        if known and abs((gate.difference or 1) - 1) >= _WORTH_SAYING:
            change = ((gate.difference or 1) - 1) * 100
            return f"{gate.name} {change:+.0f} %".replace("-", MINUS)
    return ""


def verdict(row: Row) -> str:
    """Write what follows from a figure, as the last cell of its row."""
    told = "; ".join(explain(row, markdown.text))
    return f"{sign(row)} {told}" if told else wording.NOTHING


def sign(gate: Gate) -> str:
    if gate.fails:
        return SIGNS[Verdict.FAIL]
    if gate.change is Change.NOT_EVALUATED:
        return UNKNOWN
    if gate.warns or gate.has_fallen:
        return WARNED
    if gate.reason:  # it could not be looked at, and nobody minds
        return UNKNOWN
    return SIGNS[Verdict.PASS] if gate.limit else NEUTRAL


def standing(stood: Standing | None) -> str:
    """`❌ fail 0.40`, and how many attempts passed where there were several."""
    if stood is None:
        return wording.NOTHING
    score = f"{TIED}{wording.score(stood.score)}" if stood.score is not None else ""
    told = wording.write_attempts(stood.passed, stood.runs)
    attempts = f" ({told})" if told else ""
    return f"{SIGNS[stood.verdict]}{TIED}{stood.verdict.value}{score}{attempts}"


def explain(row: Row, written: Callable[[str], str]) -> list[str]:
    """The reason for the verdict, and what became of the figure where that adds anything.

    The reason may be somebody else's text, so `written` makes it fit for the page.
    """
    reasons = [written(row.reason)] if row.reason else []
    open_ = row.fails or row.warns or row.change is Change.NOT_EVALUATED
    if not reasons and row.limit and not open_:
        reasons.append(_describe_kept(row) or "met")
    if row.change is Change.REGRESSED and row.by_interval:
        known = f" (adjusted {tied(wording.write_p(row.p_value or 0.0))})"
        return [text + known if text.endswith(BROKEN) else text for text in reasons]
    change = _CHANGES.get(row.change, "")
    if not change or change in row.reason or (row.limit and row.change is Change.UNCHANGED):
        return reasons
    return [*reasons, change]


def _describe_kept(row: Row) -> str:
    """Say how sure it is that the limit of the change is kept."""
    if row.change is Change.KEPT:
        return "kept"
    if row.change is not Change.EQUIVALENT or not isinstance(row.margin, float):
        return ""
    margin = tied(write_margin(row.margin, row.unit))
    return f"the same within {margin}"
