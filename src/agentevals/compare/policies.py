"""Changes of the gate in a pull request, for whoever reviews it."""

from collections.abc import Iterator
from datetime import date
from math import inf
from typing import NamedTuple

from agentevals.model.results import Acceptance, Finding, Limit, Policy, Severity, Unsure

_MOST = 10  # changes that are named
_EVALUATOR = "evaluator:"
_ORDER = (Unsure.PASS, Unsure.WARN, Unsure.FAIL)


class _Rule(NamedTuple):
    """One thing that a policy says, and how strict that is; those it leaves out have none."""

    written: str
    strictness: float


_NO_LIMIT = _Rule("no limit", -inf)
_NOT_ACCEPTED = _Rule("not accepted", inf)
_ABSENT = {"pass_rate.at_least": _Rule("every case", 1.0)}  # only with it single cases may fail


def find_changes(base: Policy, head: Policy, path: str = "") -> Iterator[Finding]:
    """One finding at most: a warning where anything is less strict than it was, else a note."""
    before, now = dict(_rules(base)), dict(_rules(head))
    softer: list[str] = []
    others: list[str] = []
    for name in {**before, **now}:
        absent = _NOT_ACCEPTED if name.startswith("accept ") else _ABSENT.get(name, _NO_LIMIT)
        was, is_now = before.get(name, absent), now.get(name, absent)
        if was != is_now:
            said = f"{name} {was.written} → {is_now.written}"
            (softer if is_now.strictness < was.strictness else others).append(said)
    if softer or others:
        yield Finding(
            severity=Severity.WARNING if softer else Severity.NOTE,
            rule="gate-changed",
            message=_sentence([*softer, *others], softer=bool(softer)),
            path=path,
        )


def _sentence(changes: list[str], *, softer: bool) -> str:
    how = "made less strict" if softer else "changed"
    more = f" and {len(changes) - _MOST} more" if len(changes) > _MOST else ""
    return f"the gate was {how} in this pull request: {', '.join(changes[:_MOST])}{more}"


def _rules(policy: Policy) -> Iterator[tuple[str, _Rule]]:
    """Yield the rules by the names that a config has for them."""
    for figure, limit in policy.limits.items():
        name = figure.removeprefix(_EVALUATOR)
        key = figure if name == figure else f"evaluators.{name}"
        yield from ((f"{key}.{bound}", rule) for bound, rule in _bounds(limit))
    for entry in policy.accepted:
        yield _rate_acceptance(entry)
    for name, strict in (
        ("on_not_evaluated", policy.fail_on_not_evaluated),
        ("allow_missing", policy.fail_on_missing),
        ("allow_foreign", policy.fail_on_foreign),
    ):
        words = ("warn", "fail") if name.startswith("on_") else ("true", "false")
        yield name, _Rule(words[strict], strict)
    for name, unsure in (
        ("on_inconclusive", policy.on_inconclusive),
        ("on_no_baseline", policy.on_no_baseline),
    ):
        yield name, _Rule(unsure, _ORDER.index(unsure))
    if policy.max_baseline_age_days is not None:
        days = policy.max_baseline_age_days
        yield "max_baseline_age_days", _Rule(f"{days:g}", -days)


def _bounds(limit: Limit) -> Iterator[tuple[str, _Rule]]:
    for name in limit.__struct_fields__:
        value = getattr(limit, name)
        if value is not None:
            yield name, _Rule(f"{value:g}", value if name == "at_least" else -value)


def _rate_acceptance(entry: Acceptance) -> tuple[str, _Rule]:
    """Whoever answers for longer is less strict."""
    whose = f" of {entry.evaluator}" if entry.evaluator else ""
    until = date.fromisoformat(entry.until).toordinal()
    return f"accept {entry.case}{whose}", _Rule(f"until {entry.until}", -until)
