"""The rules of a pull request beside those of its base: where they differ, both judge.

A rule is what decides: configs, evaluators, thresholds, gates, expectations, judges, the traces
that are read, and the inputs of the workflow. What only the rules of the base fail, somebody with
write permission has to approve. Rules of the base that cannot be run judge nothing.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from agentevals.action import job_configs, repository_places
from agentevals.action.checkouts import Checkouts, find_rules_commit
from agentevals.action.job import Job
from agentevals.action.rules import base_judging, grant_changes, input_changes, turned_cases
from agentevals.action.rules.base_judging import Both
from agentevals.action.rules.rule_differences import (
    ADDED,
    Side,
    compute_digest_of_all,
    find_changes,
)
from agentevals.action.rules.touched_files import find_touched_files, touches_config, touches_rules
from agentevals.action.rules.turned_cases import turn_whole
from agentevals.configs.plan import Plan
from agentevals.model.errors import AgentEvalsError, ConfigError
from agentevals.model.outcome import FailOn, Outcome
from agentevals.model.results import Evaluation
from agentevals.model.rule_changes import APPROVE, RuleChange, Rules, TurnedCase, compute_digest
from agentevals.report.pages.page_rules import explain_pending
from agentevals.run.identity import UNFORGEABLE, identify
from agentevals.text.redaction import redact_texts


def judge_rules(
    job: Job, checkouts: Checkouts, configs: Sequence[Path], outcomes: Sequence[Outcome]
) -> Rules | msgspec.UnsetType:
    """Return what the pull request changes about its rules; nothing where it changes none.

    Only a pull request has rules of its own: in a privileged run those of the base judge already.
    """
    if job.context.number is None or job.context.privileged:
        return msgspec.UNSET
    base = find_rules_commit(job)
    if not base:
        return msgspec.UNSET
    there = replace(checkouts, config_root=checkouts.trees.unpack(base))
    sharing = job_configs.count_configs(job, checkouts, configs)
    found = _Comparison(job, checkouts, {one.config: one for one in outcomes}, there, sharing)
    found.compare(configs)
    for config in configs:
        found.add_grants(config)
    if not found.changes and not found.turned:
        return msgspec.UNSET
    rules = Rules(
        base=base,
        changes=tuple(found.changes),
        turned=tuple(found.turned),
        others_only=found.others_only,
    )
    rules = turned_cases.add_approvals(job, redact_texts(rules, job.log.redact))
    for one in rules.turned:
        told = f"approved by {one.approved_by}" if one.approved_by else "needs approval"
        job.log.log(f"{told}: {one.rule}, {one.case_id or 'the whole run'}: {one.reason}")
    if rules.pending:
        what = explain_pending(rules, job.context.base_ref or "")
        job.log.warning(f"rule change needs approval: {what}; '{APPROVE} {rules.digest}'")
    return rules


@dataclass
class _Comparison:
    """Compares config by config, and collects what differs and what that turns."""

    job: Job
    checkouts: Checkouts
    outcomes: dict[str, Outcome]
    there: Checkouts  # the same, with the configs of the base
    sharing: int  # configs that share one chance of a false alarm
    changes: list[RuleChange] = field(default_factory=list)
    turned: list[TurnedCase] = field(default_factory=list)
    others_only: bool = False

    def compare(self, configs: Sequence[Path]) -> None:
        now = {self.checkouts.name_config(config): config for config in configs}
        before = self._find_configs()
        for name, config in before.items():
            self._compare_config(name, config, now.get(name))
        for name in now.keys() - before.keys():
            self._add_new(name, now[name], first=not before)
        for rule, what, digest in input_changes.find_changes(
            self.job, self.there.config_root, self.checkouts.config_root
        ):
            self._add_unproven(rule, "", what, digest)

    def add_grants(self, config: Path) -> None:
        """Add the grants of a config that the base does not know: they hold once approved."""
        with suppress(AgentEvalsError):  # what is wrong with it is said, and fails the review
            self.turned += grant_changes.hold_back(self.job, self.checkouts, config).turned

    def _find_configs(self) -> dict[str, Path]:
        try:
            found = job_configs.choose_configs(self.job, self.there)
        except ConfigError:  # the base has none
            return {}
        return {self.there.name_config(config): config for config in found}

    def _compare_config(self, name: str, config: Path, now: Path | None) -> None:
        head = self._compile(self.checkouts, now) if now else None
        if now and head is None:  # what is wrong with it is said, and fails the review
            return
        try:
            base = job_configs.compile_once(self.job, self.there, self.there.config_root, config)
        except AgentEvalsError as error:
            self._add_unrunnable(name, head, error)
            return
        self.others_only |= base.policy.approval == "other"
        changes = self._find_changes(name, base, head)
        self.changes += changes
        if now and name not in self.outcomes:  # the head cannot be judged, which fails the review
            return
        outcome = self.outcomes.get(name)
        both = Both(name, config, base, head, outcome, self.sharing)
        run: Evaluation | None = outcome.report or None if outcome else None
        try:
            if changes:
                run = base_judging.run_base(self.job, self.there, self.checkouts, both, changes)
                self.turned += base_judging.judge(self.job, self.there, both, changes, run)
            if run:
                self._find_lost(both, run)
        except AgentEvalsError as error:
            self._add_unrunnable(name, head, error)

    def _find_changes(self, name: str, base: Plan, head: Plan | None) -> list[RuleChange]:
        if head is None:
            digest = compute_digest((name, str(identify(base, UNFORGEABLE))))
            return [RuleChange(config=name, rule=_name_config(name), what="removed", digest=digest)]
        sides = Side(base, self.there.config_root), Side(head, self.checkouts.config_root)
        roots = [side.root for side in sides]
        touched = find_touched_files(self.job, self.checkouts, sides, roots)
        return list(find_changes(name, *sides, touched))

    def _find_lost(self, both: Both, run: Evaluation) -> None:
        """Add the recordings of the base that have gone, where they are committed."""
        lost = base_judging.describe_lost(self.job, self.there, both, run)
        if lost:
            digest = compute_digest((both.name, lost))
            self._add_unproven(base_judging.RULE, both.name, lost, digest)

    def _compile(self, checkouts: Checkouts, config: Path) -> Plan | None:
        try:
            return job_configs.compile_once(self.job, checkouts, checkouts.config_root, config)
        except AgentEvalsError:
            return None

    def _add_new(self, name: str, config: Path, *, first: bool) -> None:
        """Add a config that the base does not have; one beside others only adds to the rules."""
        plan = self._compile(self.checkouts, config)
        found = touches_config(self.job, self.checkouts, config)
        if plan is None or not (found or self.checkouts.is_committed(config)):
            return
        if first and not (found or self._touches_rules(plan)):  # it is a link, which no tree has
            return
        digest = self._compute_digest(name, plan)
        if first:
            self._add_unproven(_name_config(name), name, "the base has no config", digest)
        else:
            self.changes.append(
                RuleChange(config=name, rule=_name_config(name), what=ADDED, digest=digest)
            )

    def _add_unrunnable(self, name: str, head: Plan | None, error: AgentEvalsError) -> None:
        """Add a config of the base that cannot be run, unless the pull request leaves it alone."""
        if head and not self._touches_rules(head):
            return
        digest = self._compute_digest(name, head)
        reason = repository_places.shorten(self.job, str(error)).replace("\n", "; ")
        self._add_unproven(
            _name_config(name), name, f"that of the base cannot be run: {reason}", digest
        )

    def _compute_digest(self, name: str, head: Plan | None) -> str:
        if head is None:
            return compute_digest_of_all(name, None, {})
        side = Side(head, self.checkouts.config_root)
        roots = (self.there.config_root, side.root)
        touched = find_touched_files(self.job, self.checkouts, [side], roots)
        return compute_digest_of_all(name, side, touched)

    def _touches_rules(self, plan: Plan) -> bool:
        return touches_rules(self.job, self.checkouts, Side(plan, self.checkouts.config_root))

    def _add_unproven(self, rule: str, config: str, what: str, digest: str) -> None:
        """Add a change that the rules of the base cannot judge."""
        self.changes.append(RuleChange(config=config, rule=rule, what=what, digest=digest))
        if FailOn(self.job.inputs.fail_on) is not FailOn.NEVER:
            self.turned.append(turn_whole(config, rule, what, digest))


def _name_config(name: str) -> str:
    return f"config {name!r}"
