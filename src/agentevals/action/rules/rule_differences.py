"""The rules of two plans that differ: everything that decides what a trace comes to.

Rules of a policy have the names that a config has for them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentevals.configs.eval_case_labels import find_label
from agentevals.configs.plan import Plan
from agentevals.files.project_paths import unescape
from agentevals.graders.grader import Grader
from agentevals.model.policy import Limit, Policy
from agentevals.model.results import Identity
from agentevals.model.rule_changes import RuleChange, compute_digest
from agentevals.run.identity import UNFORGEABLE, identify
from agentevals.text.json_text import encode

PAIRING = "pairing"  # how traces become cases: where they are, what belongs together
JUDGE = "judge"
PASSING = "passing"  # the score from which on a case passes
AGENT = "agent"  # the files that it is made of
ADDED = "added"
_FIELDS = 3  # settings of an evaluator that are named
_LONGEST = 40  # characters of a setting that is shown
_EVALUATOR = "evaluator:"
_ACCEPT = "accept "
_NO_LIMIT = "no limit"
_ABSENT = {"pass_rate.at_least": "every case"}  # only with it single cases may fail


def name_evaluator(name: str) -> str:
    return f"evaluator {name!r}"


def name_case(case_id: str) -> str:
    return f"case {case_id!r}"


def name_gate(rule: str) -> str:
    return f"gate.{rule}"


@dataclass(frozen=True)
class Side:
    """The plan of the base or of the head, and the tree that it was read from."""

    plan: Plan
    root: Path

    @cached_property
    def identity(self) -> Identity:
        return identify(self.plan, UNFORGEABLE)

    @property
    def policy(self) -> Policy:
        return self.plan.policy

    @property
    def graders(self) -> dict[str, Grader]:
        return {grader.name: grader for grader in self.plan.graders}

    @property
    def judge(self) -> dict[str, Any]:
        judge = self.plan.judge
        return judge.model_dump(mode="json", exclude={"cache_directory"}) if judge else {}

    @property
    def pairing(self) -> dict[str, Any]:
        """Return what decides which traces are read, and how they become cases."""
        start = f"{self.root}/"
        traces = [unescape(pattern).removeprefix(start) for pattern in self.plan.traces]
        named = {name: getattr(self.plan, name) for name in ("trace_format", "group_by", "pair")}
        return {"traces": traces, **named}

    @property
    def cases(self) -> dict[str, tuple[Any, ...]]:
        """Return what is expected of each case, and by what a conversation shows that it is it."""
        known = self.identity.cases
        expected = self.plan.expectations or ()
        return {e.case_id: (known[e.case_id], e.openings, e.equal_turns) for e in expected}

    @property
    def families(self) -> dict[str, str]:
        """Return the family of each case by what the eval set says, where a gate names the key."""
        cluster, expected = self.policy.cluster or "", self.plan.expectations or ()
        return {one.case_id: find_label(one.labels, cluster) for one in expected}

    @property
    def agent(self) -> dict[str, Any]:
        return {"files": list(self.plan.agent.patterns) if self.plan.agent else None}

    @property
    def passing(self) -> dict[str, Any]:
        return {name: getattr(self.policy, name) for name in ("pass_at", "borderline_at")}


def find_changes(
    config: str, base: Side, head: Side, touched: Mapping[str, str]
) -> Iterator[RuleChange]:
    """Yield the rules of a config that differ.

    `touched` has the files that an evaluator may read and the pull request changes, as text.
    """

    def change(rule: str, what: str, *sides: Any) -> RuleChange:
        encoded = encode([config, rule, *sides], order="deterministic").decode("utf-8", "replace")
        return RuleChange(config=config, rule=rule, what=what, digest=compute_digest((encoded,)))

    yield from _compare_evaluators(base, head, touched, change)
    yield from _compare_cases(base.cases, head.cases, change)
    for rule, what in find_policy_changes(base.policy, head.policy):
        yield change(name_gate(rule), what, what)
    yield from _compare_families(base, head, change)
    for rule, was, now in (
        (JUDGE, base.judge, head.judge),
        (PASSING, base.passing, head.passing),
        (PAIRING, base.pairing, head.pairing),
        (AGENT, base.agent, head.agent),
    ):
        if was != now:
            names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
            shown = [f"{n} {_show(was.get(n))} → {_show(now.get(n))}" for n in names]
            yield change(rule, ", ".join(shown), was, now)


def compute_digest_of_all(config: str, side: Side | None, touched: Mapping[str, str]) -> str:
    """Return the digest of all that decides on one side, for an approval of it as a whole."""
    rules = (side.identity, side.cases, side.policy, side.judge, side.pairing) if side else None
    return compute_digest((f"{config}\n{rules}\n{dict(touched)}",))


def leaves_results(change: RuleChange) -> bool:
    """Return whether every evaluator judges every old case as before."""
    if change.rule.startswith("case "):
        return change.what == ADDED
    return change.rule == AGENT or change.rule.startswith(tuple(map(name_gate, _OF_THE_RUN)))


# the rules of a gate that look at the results of cases, and do not make them
_OF_THE_RUN = (
    *("pass_rate.", "score.", "evaluators.", "cost.", "tokens.", "latency.", "accept "),
    *("on_inconclusive", "on_no_baseline", "max_baseline_age_days"),
    *("approval", "on_stale_recording"),
)
_Change = Callable[..., RuleChange]


def _compare_evaluators(
    base: Side, head: Side, touched: Mapping[str, str], change: _Change
) -> Iterator[RuleChange]:
    before, after = base.graders, head.graders
    for name in {**before, **after, **touched}:
        one, other = (side.identity.evaluators.get(name) for side in (base, head))
        files = touched.get(name, "")
        if one == other and not files:
            continue
        if name in before and name in after:
            what = _describe(before[name], after[name]) or _name_files(files)
        else:  # those of single cases are in neither
            what = "removed" if one else ADDED if other else _name_files(files)
        yield change(name_evaluator(name), what, one, other, files)


def _name_files(files: str) -> str:
    """Name the files beside an evaluator that changed; without any, it is the program itself."""
    names = [text.partition(" ")[0] for text in files.split(", ") if text]
    more = f" and {len(names) - _FIELDS} more" if len(names) > _FIELDS else ""
    return f"{', '.join(names[:_FIELDS])}{more} changed" if names else "its program changed"


def _describe(was: Grader, now: Grader) -> str:
    """Name the settings that differ."""
    if was.type != now.type:
        return f"type {was.type} → {now.type}"
    changed = [(n, value, getattr(now, n)) for n, value in was if value != getattr(now, n)]
    shown = [
        f"{name} {_show(one)} → {_show(other)}"
        for name, one, other in changed
        if not isinstance(one, Path)
    ]
    more = f" and {len(shown) - _FIELDS} more" if len(shown) > _FIELDS else ""
    return ", ".join(shown[:_FIELDS]) + more


def _compare_cases(
    was: Mapping[str, Any], now: Mapping[str, Any], change: _Change
) -> Iterator[RuleChange]:
    for name in {**was, **now}:
        one, other = was.get(name), now.get(name)
        if one != other:
            what = "its expectation changed" if one and other else ADDED if other else "removed"
            yield change(name_case(name), what, one, other)


def _compare_families(base: Side, head: Side, change: _Change) -> Iterator[RuleChange]:
    """Yield the cases that are of another family by the same key: as one, they prove less."""
    if not head.policy.cluster or head.policy.cluster != base.policy.cluster:
        return
    was, now = base.families, head.families
    moved = [name for name in was if name in now and was[name] != now[name]]
    if moved:
        shown = [f"{_show(was[n] or None)} → {_show(now[n] or None)} of {n}" for n in moved]
        more = f" and {len(moved) - _FIELDS} more" if len(moved) > _FIELDS else ""
        what = ", ".join(shown[:_FIELDS]) + more
        yield change(name_gate("cluster"), what, [(n, was[n], now[n]) for n in moved])


def _show(value: Any) -> str:
    """Write a setting, shortened; what is long or has parts would not be understood anyway."""
    if value is None:
        return "none"
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def find_policy_changes(base: Policy, head: Policy) -> Iterator[tuple[str, str]]:
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
