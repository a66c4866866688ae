"""The rows of a table of figures: each is over the same cases on both sides, and says how many."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from agentevals.model.outcome import Apart, Change, FailOn, Figure, Gate, Kind, Outcome
from agentevals.report import fail_on
from agentevals.text.wording import plural

_OF_ONE_SIDE = frozenset({"below the limit", "above the limit"})
_LIMITS = {FailOn.REGRESSED: "no worse than by chance", FailOn.ANY_FLIP: "no case regresses"}
_PASS_RATE = "pass_rate"  # noqa: S105 -- a figure
_WORTH_SHOWING = 0.05  # the change of an amount
_NOTABLE_POINTS = 0.05  # a smaller drop than this is likely to be seen, and needs no word
_MOVED = frozenset({Change.REGRESSED, Change.IMPROVED})
_APART = {
    Kind.ADDED: ("new case", ""),
    Kind.REMOVED: ("removed case", ""),
    Kind.CHANGED: ("case", " whose expectation changed"),
    Kind.NOT_EVALUATED: ("case", " without a verdict on both sides"),
}


class Row(Gate, frozen=True, kw_only=True):
    """A gate over one set of cases. `by_interval` is true if a decision rests on the interval."""

    cases: str = ""
    by_interval: bool = False


def list_rows(outcome: Outcome) -> Iterator[Row]:
    """Yield the rows of all gates, in their order."""
    for gate in outcome.gates:
        implied = _add_implied_limit(outcome, gate) if gate.figure == _PASS_RATE else gate
        yield from _split(outcome, _fail_lost(outcome, implied))


def is_notable(row: Row) -> bool:
    """Return whether a row decides something, or has moved."""
    if row.limit or row.fails or row.warns or row.figure == _PASS_RATE or row.change in _MOVED:
        return True
    changed = row.difference is not None and abs(row.difference - 1) >= _WORTH_SHOWING
    return row.figure == "score" or (row.is_ratio and changed)


def describe_apart(outcome: Outcome, base: str) -> str:
    """Write what is in no difference, with figures of its own; nothing where that is no case."""
    told = [_describe(one, base) for one in outcome.apart or ()]
    return f"Not in the differences: {'; '.join(told)}." if told else ""


def describe_power(outcome: Outcome) -> str:
    """Say once how small a drop these cases are likely to show, and what to do about it."""
    known = outcome.decline
    seen = outcome.counts.regressed or any(gate.has_fallen for gate in outcome.gates)
    if not known or seen or isinstance(known.detectable, msgspec.UnsetType):
        return ""
    cases = plural(outcome.against.paired, "case")
    if known.detectable is None:
        return f"With {cases} in both runs, no drop of the pass rate can be told from chance."
    if known.detectable < _NOTABLE_POINTS:
        return ""
    points = f"{known.detectable * 100:.0f} points"
    return (
        f"With {cases} in both runs, a drop of the pass rate by {points} is found in 8 of 10 runs. "
        "More cases show smaller drops."
    )


def _fail_lost(outcome: Outcome, gate: Gate) -> Gate:
    """Let a figure without a limit fail where its fall is what fails the run."""
    if not fail_on.tell_lost(outcome, gate):
        return gate
    reason = "; ".join(filter(None, (gate.reason, "regressed")))
    return msgspec.structs.replace(gate, fails=True, reason=reason)


def _add_implied_limit(outcome: Outcome, gate: Gate) -> Gate:
    """Name the gate that is there without a limit: by default, every case has to pass."""
    counts = outcome.counts
    undecided = counts.errors or (outcome.unknown and outcome.unknown.cases)
    if "≥" in gate.limit or not counts.cases or (undecided and counts.failed <= counts.accepted):
        return gate
    if outcome.fail_on is FailOn.FAILED:
        failed, limit = counts.failed - counts.accepted, "every case passes"
        reason = f"{failed:,} failed"
    elif outcome.decline and outcome.fail_on in _LIMITS:
        failed, limit = int(fail_on.fails_by_cases(outcome)), _LIMITS[outcome.fail_on]
        reason = fail_on.explain_cases(outcome, outcome.decline)
    else:
        return gate
    return msgspec.structs.replace(
        gate,
        limit=" and ".join(filter(None, (limit, gate.limit))),
        fails=gate.fails or failed > 0,
        reason="; ".join(filter(None, (reason if failed > 0 else "", gate.reason))),
    )


def _split(outcome: Outcome, gate: Gate) -> Iterator[Row]:
    """Yield a row of its own for what is over all cases, where the difference is not."""
    known = msgspec.structs.asdict(gate)
    by_interval = isinstance(gate.margin, float)
    cases = f"{gate.pairs:,}" if gate.pairs else ""
    if not isinstance(gate.paired, Figure):
        yield Row(**known, cases=cases, by_interval=by_interval)
        return
    of_both, of_one = _part(gate.limit, " and ", _compares)
    reasons, of_head = _part(gate.reason, "; ", lambda text: not _is_of_one_side(text))
    if gate.figure == _PASS_RATE or of_one:
        yield Row(**known | _describe_all(outcome, gate, of_one, of_head))
    fallen = gate.change is Change.REGRESSED or fail_on.fails_by_cases(outcome)
    fails = gate.fails and (fallen or not of_head)
    both = {
        "name": f"{gate.name}, cases in both",
        "head": gate.paired,
        "limit": of_both,
        "reason": reasons,
        "fails": fails,
        "warns": bool(reasons) and not fails,
    }
    yield Row(**known | both, cases=cases, by_interval=by_interval)


def _describe_all(outcome: Outcome, gate: Gate, limit: str, reason: str) -> dict[str, object]:
    counted = {one.kind: one.cases for one in outcome.apart or ()}
    gone, new = counted.get(Kind.REMOVED, 0), counted.get(Kind.ADDED, 0)
    counts = outcome.counts
    earlier = gate.earlier if isinstance(gate.earlier, Figure) else None
    return {
        "name": f"{gate.name}, all cases",
        "cases": f"{counts.cases - new + gone:,} → {counts.cases:,}",
        "base": earlier,
        "difference": None,
        "interval": None,
        "change": Change.INCONCLUSIVE,
        "limit": limit,
        "reason": reason,
        "fails": bool(reason),
        "warns": False,
        "better": 0,
        "worse": 0,
    }


def _part(text: str, separator: str, chosen: Callable[[str], bool]) -> tuple[str, str]:
    """Part a text that lists things into those that are chosen, and the others."""
    every = [part for part in text.split(separator) if part]
    inside = [part for part in every if chosen(part)]
    outside = [part for part in every if not chosen(part)]
    return separator.join(inside), separator.join(outside)


def _compares(limit: str) -> bool:
    return limit.startswith(("drop", "≤ ×", *_LIMITS.values()))  # noqa: RUF001


def _is_of_one_side(reason: str) -> bool:
    return reason in _OF_ONE_SIDE or reason.endswith(" failed")


def _describe(one: Apart, base: str) -> str:
    noun, which = _APART[one.kind]
    sides: Sequence[tuple[str, Figure | None]] = (("now", one.head), (f"on {base}", one.base))
    passed = [f"{side.met:,} passed {where}" for where, side in sides if side is not None]
    known = f" ({', '.join(passed)})" if passed else ""
    return f"{plural(one.cases, noun)}{which}{known}"
