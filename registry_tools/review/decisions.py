"""Decisions of a change about published evaluators: who may decide has to agree to each."""

from collections.abc import Iterator

from agentevals.files.places import quote
from agentevals.text.wording import plural
from registry_tools import rules
from registry_tools.index import updates
from registry_tools.manifests.agreement import describe_lack
from registry_tools.manifests.finding import Finding, Rule, make_warning
from registry_tools.manifests.tombstones import FILE, Tombstones
from registry_tools.review.proposal import Proposal
from registry_tools.rules import tombstones


def review(proposal: Proposal) -> Iterator[Finding]:
    """List new and removed decisions, and what is wrong with those that are there."""
    yield from rules.check_decisions(proposal.registry)
    before, after = proposal.decisions_before, proposal.decisions
    if before and not (proposal.registry.root / FILE).exists():
        yield from _refuse_loss(proposal, before.decisions)
        return
    old = before.decisions if before else Tombstones()
    for name, gone, (rule, message) in _list_decision_changes(old, after.decisions):
        if not (gone and after.problems):
            yield _weigh(proposal, name, rule, message)


def _refuse_loss(proposal: Proposal, lost: Tombstones) -> Iterator[Finding]:
    if count := len(list(_list_decisions(lost))):
        message = f"the file is gone, and with it {plural(count, 'decision')}"
        fix = f"run git checkout {proposal.fork[:12]} -- {FILE}"
        yield tombstones.RULE.report(message, FILE, fix=fix)


def _list_decision_changes(
    before: Tombstones, after: Tombstones
) -> Iterator[tuple[str, bool, tuple[Rule, str]]]:
    """Yield each decision that is new or another, then those that are gone, with whose it is."""
    old, new = dict(_list_decisions(before)), dict(_list_decisions(after))
    for (kind, name), decision in new.items():
        if old.get((kind, name)) != decision:
            yield name.partition(" ")[0], False, decision
    for kind, name in old:
        if (kind, name) not in new:
            message = f"what is recorded of {quote(name)} under {quote(kind)} would be gone"
            yield name.partition(" ")[0], True, (updates.REMOVED, message)


def _list_decisions(said: Tombstones) -> Iterator[tuple[tuple[str, str], tuple[Rule, str]]]:
    """Yield each decision with the place where it is recorded."""
    for name, removal in said.removed.items():
        message = f"{name} would be removed: {removal.reason}"
        yield ("removed", name), (updates.REMOVED, message)
    for name, transfer in said.transferred.items():
        people = ", ".join(map(str, transfer.to))
        message = f"{name} would be handed over to {people}: {transfer.reason}"
        yield ("transferred", name), (updates.OWNER, message)
    for name, versions in said.yanked.items():
        for version, reason in versions.items():
            message = f"{name} {version} would be withdrawn: {reason}"
            yield ("yanked", f"{name} {version}"), (updates.REMOVED, message)


def _weigh(proposal: Proposal, name: str, rule: Rule, message: str) -> Finding:
    """Report a decision: those who may decide have agreed, or it is an error."""
    owners, agreement = proposal.list_owners(name), proposal.agreement
    if agreement.covers(owners):
        fix = "merge it only if that is meant: it counts from then on"
        return make_warning(rule.report(message, FILE, fix=fix))
    lack = f"{message}; {describe_lack(owners)}"
    return rule.report(lack, FILE, fix=agreement.advice)
