"""The rules of a policy by the names that a config has for them, and those that differ."""

from collections.abc import Iterator

from agentevals.model.policy import Limit, Policy

_EVALUATOR = "evaluator:"
_ACCEPT = "accept "
_NO_LIMIT = "no limit"
_ABSENT = {"pass_rate.at_least": "every case"}  # only with it single cases may fail


def find_changes(base: Policy, head: Policy) -> Iterator[tuple[str, str]]:
    """Yield each rule that differs, by its name, with both sides."""
    before, now = dict(_list_rules(base)), dict(_list_rules(head))
    for name in {**before, **now}:
        absent = "not accepted" if name.startswith(_ACCEPT) else _ABSENT.get(name, _NO_LIMIT)
        was, is_now = before.get(name, absent), now.get(name, absent)
        if was != is_now:
            yield name, f"{was} → {is_now}"


def _list_rules(policy: Policy) -> Iterator[tuple[str, str]]:
    for figure, limit in policy.limits.items():
        name = figure.removeprefix(_EVALUATOR)
        key = figure if name == figure else f"evaluators.{name}"
        yield from ((f"{key}.{bound}", value) for bound, value in _list_bounds(limit))
    for entry in sorted(policy.accepted, key=lambda one: one.until):  # the longest one counts
        whose = f" of {entry.evaluator}" if entry.evaluator else ""
        yield f"{_ACCEPT}{entry.case}{whose}", f"until {entry.until}"
    yield "on_not_evaluated", "fail" if policy.fail_on_not_evaluated else "warn"
    yield "allow_missing", "false" if policy.fail_on_missing else "true"
    yield "allow_foreign", "false" if policy.fail_on_foreign else "true"
    yield "on_inconclusive", policy.on_inconclusive
    yield "on_no_baseline", policy.on_no_baseline
    yield "on_stale_recording", policy.on_stale_recording or "as the agent was changed"
    yield "attempts", policy.attempts or "most"
    yield "approval", policy.approval or "any"
    yield "cluster", policy.cluster or "none"
    if policy.max_baseline_age_days is not None:
        yield "max_baseline_age_days", f"{policy.max_baseline_age_days:g}"


def _list_bounds(limit: Limit) -> Iterator[tuple[str, str]]:
    for name in limit.__struct_fields__:
        value = getattr(limit, name)
        if value is not None:
            yield name, f"{value:.15g}"
