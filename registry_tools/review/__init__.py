"""Review a proposed change: forbidden steps, changes to see, the version it needs.

Who may decide has to agree to each decision about a published evaluator.
"""

from collections.abc import Iterator

from agentevals.evaluator.registry_index import IndexEntry
from agentevals.files.document_places import quote
from agentevals.model.errors import BEGIN, Extent
from agentevals.text.wording import plural
from registry_tools import rules
from registry_tools.index import index_updates
from registry_tools.index.index_updates import Step, measure_step, suggest_version
from registry_tools.manifests.owner_agreement import describe_lack
from registry_tools.manifests.registry_finding import (
    Finding,
    Outcome,
    Rule,
    Spot,
    Update,
    make_note,
    make_warning,
)
from registry_tools.manifests.registry_folder import FOLDER
from registry_tools.manifests.registry_tombstones import FILE, Tombstones
from registry_tools.review import reviewed_index, reviewed_updates
from registry_tools.review.reviewed_changes import Pair, Proposal
from registry_tools.review.reviewed_updates import MAINTAINERS, Change, Drift
from registry_tools.rules import tombstones
from registry_tools.smoke import smoke_program

_RULES = {rule.id: rule for rule in index_updates.ALL}
_WORDS = {Step.PATCH: "patch", Step.MINOR: "minor", Step.MAJOR: "major"}


def review(proposal: Proposal, *, level: str = "") -> Outcome:
    """Review every changed evaluator. With a sandbox level, run the old and new programs."""
    pairs = list(proposal.pairs)
    why = (
        smoke_program.find_objection(level) if level and any(p.old and p.new for p in pairs) else ""
    )
    asked = proposal.registry.names
    found = [] if asked is not None else [*reviewed_index.review(proposal)]
    for pair in pairs:
        drifts = _find_drifts(proposal, pair, "" if why else level)
        found += _review_pair(proposal, pair, drifts)
    if asked is None:
        found += review_decisions(proposal)
    if why:
        message = f"programs were not run: {why}"
        found.append(_build_finding(None, FOLDER, index_updates.BEHAVIOUR, message))
    names = tuple(pair.name for pair in pairs)
    return Outcome(names, tuple(found), updates=tuple(_list_updates(pairs)))


def _list_updates(pairs: list[Pair]) -> Iterator[Update]:
    for pair in pairs:
        old, new = (one.version if one else None for one in (pair.old, pair.new))
        if pair.unlisted is None:
            yield Update(pair.name, old, new)


def _find_drifts(proposal: Proposal, pair: Pair, level: str) -> list[Drift]:
    if not level or pair.old is None or pair.new is None or pair.entry is None:
        return []
    with proposal.check_out(pair.name) as before:
        return reviewed_updates.find_drifts(before, pair.entry, proposal.registry, level)


def _review_pair(proposal: Proposal, pair: Pair, drifts: list[Drift]) -> Iterator[Finding]:
    if pair.new is None:
        yield from _review_removal(proposal, pair)
    elif pair.old is None:
        yield from _review_addition(proposal, pair, pair.new)
    else:
        yield from _review_update(proposal, pair, pair.old, pair.new, drifts)


def _review_removal(proposal: Proposal, pair: Pair) -> Iterator[Finding]:
    if pair.unlisted is not None:
        message = f"it would not be listed: {pair.unlisted.message}"
        fix = pair.unlisted.fix or f"run agentevals registry validate {FOLDER}/{pair.name}"
        path = f"{FOLDER}/{pair.name}/evaluator.yaml"
        yield _build_finding(pair, path, index_updates.UNLISTED, message, pair.unlisted.at, fix)
    elif pair.name not in proposal.decisions.decisions.removed:
        message = "it was removed without a record"
        fix = f"run agentevals registry remove {pair.name} --reason '…'"
        if new := proposal.find_renames().get(pair.name):
            message = f"git finds its files in {FOLDER}/{new}, and no tombstone says so"
            fix = f"run agentevals registry rename {pair.name} {new}"
        yield _report(pair, index_updates.REMOVED, message, fix=fix)


def _review_addition(proposal: Proposal, pair: Pair, new: IndexEntry) -> Iterator[Finding]:
    if pair.name in proposal.decisions.decisions.removed:
        message = "an evaluator of this name was removed, and its tombstone keeps the name"
        yield _report(pair, index_updates.REMOVED, message, "name", "choose another name")
    for change in reviewed_updates.list_changes(IndexEntry(name=pair.name), new):
        if change.key == "capabilities":
            yield _report(pair, index_updates.GROWTH, change.message, change.key)


def _review_update(
    proposal: Proposal, pair: Pair, old: IndexEntry, new: IndexEntry, drifts: list[Drift]
) -> Iterator[Finding]:
    changes = list(reviewed_updates.list_changes(old, new))
    needed = max([change.step for change in changes] + [drift.step for drift in drifts])
    forbidden = list(index_updates.find_misfits(old, new, proposal.decisions.decisions))
    for one in forbidden:
        fix = suggest_version(old, needed) if one.rule == index_updates.VERSION.id else one.fix
        yield _report(pair, _RULES[one.rule], one.message, str(one.where[0]), fix)
    if not any(one.rule == index_updates.VERSION.id for one in forbidden):
        yield from _check_step(pair, old, new, needed, changes, drifts)
    has_owner_misfit = any(one.rule == index_updates.OWNER.id for one in forbidden)
    unagreed = [] if has_owner_misfit else list(_check_agreement(proposal, pair, old, new))
    yield from unagreed
    for change in changes:
        if change.aloud and not (unagreed and change.key == MAINTAINERS):
            yield _report(pair, index_updates.GROWTH, change.message, change.key)
    for drift in drifts:
        found = _report(pair, index_updates.BEHAVIOUR, drift.message, "entrypoint")
        yield make_note(found) if drift.step is Step.NONE else found


def _check_agreement(
    proposal: Proposal, pair: Pair, old: IndexEntry, new: IndexEntry
) -> Iterator[Finding]:
    """Refuse other maintainers, unless those of the base branch or a decision there agree."""
    before, after = ({one.id for one in entry.maintainers} for entry in (old, new))
    standing = proposal.decisions_at_tip.decisions
    if not before or before == after or standing.allows(old.name, frozenset(after)):
        return
    if not proposal.agreement.covers(old.maintainers):
        more = [f"{one.login} ({one.id})" for one in new.maintainers if one.id not in before]
        what = f"{', '.join(more)} would maintain it" if more else "it would lose maintainers"
        message = f"{what}, and {describe_lack(old.maintainers)}"
        yield _report(pair, index_updates.OWNER, message, MAINTAINERS, proposal.agreement.advice)


def _check_step(  # noqa: PLR0913, PLR0917 -- both sides, and all that they differ in
    pair: Pair,
    old: IndexEntry,
    new: IndexEntry,
    needed: Step,
    changes: list[Change],
    drifts: list[Drift],
) -> Iterator[Finding]:
    """Check that the version rises as much as the changes for users need."""
    if not old.version or not new.version or measure_step(old.version, new.version) >= needed:
        return
    reasons = [change.message for change in changes if change.step is needed]
    reasons += [drift.message for drift in drifts if drift.step is needed]
    message = f"{old.version} → {new.version} is no {_WORDS[needed]} step, and {reasons[0]}"
    yield _report(pair, index_updates.VERSION, message, "version", suggest_version(old, needed))


def _report(pair: Pair, rule: Rule, message: str, key: str = "name", fix: str = "") -> Finding:
    path = f"{FOLDER}/{pair.name}/evaluator.yaml"
    return _build_finding(pair, path, rule, message, Spot((key,)), fix)


def _build_finding(  # noqa: PLR0913, PLR0917 -- what a finding has
    pair: Pair | None,
    path: str,
    rule: Rule,
    message: str,
    at: Extent | Spot = BEGIN,
    fix: str = "",
) -> Finding:
    if pair and pair.entry:
        return pair.entry.report(rule, message, at, fix=fix)
    return rule.report(message, path, fix=fix, entry=pair.name if pair else "")


def review_decisions(proposal: Proposal) -> Iterator[Finding]:
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
            yield name.partition(" ")[0], True, (index_updates.REMOVED, message)


def _list_decisions(said: Tombstones) -> Iterator[tuple[tuple[str, str], tuple[Rule, str]]]:
    """Yield each decision with the place where it is recorded."""
    for name, removal in said.removed.items():
        message = f"{name} would be removed: {removal.reason}"
        yield ("removed", name), (index_updates.REMOVED, message)
    for name, transfer in said.transferred.items():
        people = ", ".join(map(str, transfer.to))
        message = f"{name} would be handed over to {people}: {transfer.reason}"
        yield ("transferred", name), (index_updates.OWNER, message)
    for name, versions in said.yanked.items():
        for version, reason in versions.items():
            message = f"{name} {version} would be withdrawn: {reason}"
            yield ("yanked", f"{name} {version}"), (index_updates.REMOVED, message)


def _weigh(proposal: Proposal, name: str, rule: Rule, message: str) -> Finding:
    """Report a decision: those who may decide have agreed, or it is an error."""
    owners, agreement = proposal.list_owners(name), proposal.agreement
    if agreement.covers(owners):
        fix = "merge it only if that is meant: it counts from then on"
        return make_warning(rule.report(message, FILE, fix=fix))
    lack = f"{message}; {describe_lack(owners)}"
    return rule.report(lack, FILE, fix=agreement.advice)
