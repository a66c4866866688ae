"""The cases and gates that only the rules of the base fail, and which of them somebody approved.

What an approval covers cannot be read off its digest. Our comments list the pairs beside it, and
the digest proves that nobody has changed the list.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

import msgspec

from agentevals.action.job import Job
from agentevals.action.rules.rule_differences import (
    AGENT,
    JUDGE,
    PAIRING,
    PASSING,
    name_case,
    name_evaluator,
    name_gate,
)
from agentevals.compare.acceptance import Acceptances
from agentevals.github import approvals
from agentevals.model.cases import Status
from agentevals.model.errors import UnavailableError
from agentevals.model.outcome import Gate, Outcome
from agentevals.model.results import EVALUATOR_ERROR, CaseReport, Finding, Result, Severity
from agentevals.model.rule_changes import Offer, RuleChange, Rules, TurnedCase, compute_digest
from agentevals.report.pages.page_rules import read_offers
from agentevals.run.verdict import misses
from agentevals.text import wording

_REASON = 300  # characters


@dataclass(frozen=True)
class Sides:
    """One config by the rules of both sides. `head` is None where the head does not have it.

    `expected` are the cases of the base, `changes` the rules that differ. The `gates` of the base
    look at its own cases alone: what the head adds must not make up for them.
    """

    config: str
    changes: Sequence[RuleChange]
    expected: Sequence[str]
    base: Outcome
    gates: Outcome
    head: Outcome | None
    today: date

    @property
    def by_rule(self) -> Mapping[str, RuleChange]:
        return {change.rule: change for change in self.changes}


def find_turned(sides: Sides) -> list[TurnedCase]:
    """Return what the rules of the base fail, and those of the head do not."""
    if not (sides.base.exit_code or sides.gates.exit_code):
        return []
    found = [*_compare_cases(sides), *_find_missing(sides), *_compare_gates(sides)]
    if not found and not (sides.head and sides.head.exit_code):
        reason = wording.headline(sides.base.report) if sides.base.report else ""
        found = [_turn(sides, (), "", reason)]
    return list({one.pair: one for one in found}.values())


def turn_whole(config: str, rule: str, reason: str, digest: str) -> TurnedCase:
    """Return what stands for a config whose base judges nothing."""
    pair = compute_digest((config, rule, digest))
    return TurnedCase(config=config, rule=rule, case_id="", reason=reason[:_REASON], pair=pair)


def _compare_cases(sides: Sides) -> Iterator[TurnedCase]:
    """Yield the cases that fail by the base, but for those by which the head fails as well."""
    failing = dict(_find_failing(sides.base, sides.today))
    tolerated = not (sides.head and sides.head.exit_code)
    known = {} if tolerated else dict(_find_failing(sides.head, sides.today))
    head = _collect_objections(sides.head, failing.keys() - known.keys())
    for case_id, case in failing.items():
        if case_id in known:
            continue
        objections = [result for result in case.results if _objects(result)]
        turned = [r for r in objections if r.name not in head[case_id]]
        for result in turned:
            yield _turn(sides, _list_rules(case_id, result), case_id, _explain(result))
        if not turned:
            gates = [f"accept {case_id} of {result.name}" for result in objections]
            gates += [f"accept {case_id}", "pass_rate.at_least", "on_not_evaluated"]
            rules = (*map(name_gate, gates), name_case(case_id), PASSING)
            yield _turn(sides, rules, case_id, _explain_case(case))


def _find_failing(outcome: Outcome | None, today: date) -> Iterator[tuple[str, CaseReport]]:
    """Yield the cases that fail and that nobody answers for, by name."""
    report = outcome.report if outcome else None
    acceptances = Acceptances(report.policy.accepted if report else (), today)
    for case in report.cases if report else ():
        accepted, expired = acceptances.find(case)
        if case.verdict.is_bad and (accepted is None or expired):
            yield case.case_id, case


def _collect_objections(outcome: Outcome | None, wanted: Set[str]) -> dict[str, set[str]]:
    """Return the evaluators that object to the wanted cases."""
    found: dict[str, set[str]] = {case_id: set() for case_id in wanted}
    for case in outcome.report.cases if wanted and outcome and outcome.report else ():
        if case.case_id in found:
            found[case.case_id].update(r.name for r in case.results if _objects(r))
    return found


def _objects(result: Result) -> bool:
    return misses(result) or result.status in {Status.ERROR, Status.NOT_EVALUATED}


def _list_rules(case_id: str, result: Result) -> tuple[str, ...]:
    """Name the rules that may have turned a result, the likeliest first."""
    accepted = (f"accept {case_id} of {result.name}", f"accept {case_id}")
    unevaluated = ("on_not_evaluated",) if result.status is Status.NOT_EVALUATED else ()
    gates = (*accepted, "attempts", *unevaluated)
    judge = (JUDGE,) if result.blame is None else ()
    evaluator = name_evaluator(result.name)
    return (evaluator, name_case(case_id), *map(name_gate, gates), PASSING, *judge, PAIRING)


def _find_missing(sides: Sides) -> Iterator[TurnedCase]:
    """Yield the expected cases of the base that nothing answers, and its other errors."""
    report = sides.base.report
    if report is None:
        return
    known = {finding.message for finding in _list_errors(sides.head)}
    new = [f for f in _list_errors(sides.base) if f.message not in known]
    answered = {case.eval_case_id for case in report.cases}
    for case_id in sides.expected:
        if any(_is_missing(finding, case_id) for finding in new) and case_id not in answered:
            reason = "no recording answers it"
            rules = (name_case(case_id), name_gate("allow_missing"), PAIRING)
            yield _turn(sides, rules, case_id, reason)
    for finding in new:
        if finding.rule not in _OF_CASES:
            rules = (name_gate("on_stale_recording"), AGENT, PAIRING)
            yield _turn(sides, rules, "", finding.message, beside=(finding.rule,))


def _list_errors(outcome: Outcome | None) -> list[Finding]:
    found = outcome.findings if outcome else ()
    return [finding for finding in found if finding.severity is Severity.ERROR]


_OF_CASES = frozenset({"missing-case", "nothing-answered", EVALUATOR_ERROR})


def _is_missing(finding: Finding, case_id: str) -> bool:
    alone = finding.rule == "missing-case" and finding.message.startswith(f"{case_id}: ")
    return alone or finding.rule == "nothing-answered"


def _compare_gates(sides: Sides) -> Iterator[TurnedCase]:
    """Yield the gates of the base that fail. Which cases fail is a part of each pair."""
    failing = sorted({case_id for case_id, _ in _find_failing(sides.base, sides.today)})
    known = {gate.figure for gate in (sides.head.gates if sides.head else ()) if gate.fails}
    for gate in sides.gates.gates:
        if gate.fails and gate.figure not in known:
            bounds = [rule for rule in sides.by_rule if rule.startswith(_name_figure(gate))]
            rules = (*bounds, PASSING, PAIRING)
            yield _turn(sides, rules, "", _explain_gate(gate), beside=failing)


def _name_figure(gate: Gate) -> str:
    name = gate.figure.removeprefix("evaluator:")
    return name_gate(f"{gate.figure if name == gate.figure else f'evaluators.{name}'}.")


def _turn(
    sides: Sides, rules: Sequence[str], case_id: str, reason: str, *, beside: Sequence[str] = ()
) -> TurnedCase:
    """Return it with the first of the rules that differs, or else with all that do.

    An approval covers it only with the same cases `beside` it.
    """
    changed = sides.by_rule
    found = next((rule for rule in rules if rule in changed), None)
    concerned = [changed[found]] if found else sides.changes
    digest = compute_digest(tuple(change.digest for change in concerned))
    rule = found or (concerned[0].rule if len(concerned) == 1 else "rules")
    pair = compute_digest(("\0".join((sides.config, rule, case_id, digest, *beside)),))
    return TurnedCase(
        config=sides.config, rule=rule, case_id=case_id, reason=reason[:_REASON], pair=pair
    )


def _explain(result: Result) -> str:
    judged = wording.write_judgement(result) if result.score is not None else ""
    return "; ".join(filter(None, (judged, *result.problems[:2]))) or result.reasoning


def _explain_case(case: CaseReport) -> str:
    return case.error or f"it fails with a score of {wording.score(case.score)}"


def _explain_gate(gate: Gate) -> str:
    return "; ".join(filter(None, (f"{gate.name} {gate.limit}".strip(), gate.reason)))


def add_approvals(job: Job, rules: Rules) -> Rules:
    """Return the rules with who has approved what, as far as GitHub can be asked."""
    if not rules.turned or job.api is None or job.context.number is None:
        return _offer(rules, ())
    repository, author = job.context.repository, job.context.author if rules.others_only else ""
    try:
        remarks = approvals.list_remarks(job.github, repository, job.context.number)
        found = dict(approvals.find_approvers(job.github, repository, remarks, without=author))
    except UnavailableError as error:
        job.log.warning(f"approvals of changed rules cannot be read: {error}")
        return _offer(rules, ())
    return apply(rules, found, [o for remark in remarks for o in read_offers(remark.body or "")])


def apply(rules: Rules, approved: Mapping[str, str], known: Iterable[Offer]) -> Rules:
    """Return the rules with the approvals: people by digest, of offers that are known.

    The digest of what is pending needs no list: once the known ones are applied, it may be that.
    """
    offers = {offer.digest: offer for offer in known if offer.is_genuine}
    used = [offers[digest] for digest in approved if digest in offers]
    for offer in used:
        rules = _cover(rules, offer, approved[offer.digest])
    pending = Offer.make(one.pair for one in rules.pending)
    if pending.digest in approved:
        used.append(pending)
        rules = _cover(rules, pending, approved[pending.digest])
    return _offer(rules, tuple(used))


def _cover(rules: Rules, offer: Offer, who: str) -> Rules:
    turned = tuple(
        msgspec.structs.replace(one, approved_by=one.approved_by or who)
        if one.pair in offer.pairs
        else one
        for one in rules.turned
    )
    return msgspec.structs.replace(rules, turned=turned)


def _offer(rules: Rules, earlier: tuple[Offer, ...]) -> Rules:
    """Return the rules with what can be approved now, and with what was approved before."""
    pending = [one.pair for one in rules.pending]
    offers = (*earlier, Offer.make(pending)) if pending else earlier
    return msgspec.structs.replace(rules, offers=offers)
