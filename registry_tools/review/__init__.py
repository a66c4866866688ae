"""Review a proposed change: forbidden steps, changes to see, the version it needs."""

from collections.abc import Iterator

from agentevals.evaluator.index import IndexEntry
from agentevals.model.errors import BEGIN, Extent
from registry_tools.index import updates
from registry_tools.index.updates import Step, measure_step, suggest_version
from registry_tools.manifests.agreement import describe_lack
from registry_tools.manifests.finding import (
    Finding,
    Outcome,
    Rule,
    Spot,
    Update,
    make_note,
)
from registry_tools.manifests.registry import FOLDER
from registry_tools.review import decisions, differences, generated
from registry_tools.review.differences import MAINTAINERS, Change, Drift
from registry_tools.review.proposal import Pair, Proposal
from registry_tools.smoke import program

_RULES = {rule.id: rule for rule in updates.ALL}
_WORDS = {Step.PATCH: "patch", Step.MINOR: "minor", Step.MAJOR: "major"}


def review(proposal: Proposal, *, level: str = "") -> Outcome:
    """Review every changed evaluator. With a sandbox level, run the old and new programs."""
    pairs = list(proposal.pairs)
    why = program.find_objection(level) if level and any(p.old and p.new for p in pairs) else ""
    asked = proposal.registry.names
    found = [] if asked is not None else [*generated.review(proposal)]
    for pair in pairs:
        drifts = _find_drifts(proposal, pair, "" if why else level)
        found += _review_pair(proposal, pair, drifts)
    if asked is None:
        found += decisions.review(proposal)
    if why:
        message = f"programs were not run: {why}"
        found.append(_build_finding(None, FOLDER, updates.BEHAVIOUR, message))
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
        return differences.find_drifts(before, pair.entry, proposal.registry, level)


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
        yield _build_finding(pair, path, updates.UNLISTED, message, pair.unlisted.at, fix)
    elif pair.name not in proposal.decisions.decisions.removed:
        message = "it was removed without a record"
        fix = f"run agentevals registry remove {pair.name} --reason '…'"
        if new := proposal.find_renames().get(pair.name):
            message = f"git finds its files in {FOLDER}/{new}, and no tombstone says so"
            fix = f"run agentevals registry rename {pair.name} {new}"
        yield _report(pair, updates.REMOVED, message, fix=fix)


def _review_addition(proposal: Proposal, pair: Pair, new: IndexEntry) -> Iterator[Finding]:
    if pair.name in proposal.decisions.decisions.removed:
        message = "an evaluator of this name was removed, and its tombstone keeps the name"
        yield _report(pair, updates.REMOVED, message, "name", "choose another name")
    for change in differences.list_changes(IndexEntry(name=pair.name), new):
        if change.key == "capabilities":
            yield _report(pair, updates.GROWTH, change.message, change.key)


def _review_update(
    proposal: Proposal, pair: Pair, old: IndexEntry, new: IndexEntry, drifts: list[Drift]
) -> Iterator[Finding]:
    changes = list(differences.list_changes(old, new))
    needed = max([change.step for change in changes] + [drift.step for drift in drifts])
    forbidden = list(updates.find_misfits(old, new, proposal.decisions.decisions))
    for one in forbidden:
        fix = suggest_version(old, needed) if one.rule == updates.VERSION.id else one.fix
        yield _report(pair, _RULES[one.rule], one.message, str(one.where[0]), fix)
    if not any(one.rule == updates.VERSION.id for one in forbidden):
        yield from _check_step(pair, old, new, needed, changes, drifts)
    has_owner_misfit = any(one.rule == updates.OWNER.id for one in forbidden)
    unagreed = [] if has_owner_misfit else list(_check_agreement(proposal, pair, old, new))
    yield from unagreed
    for change in changes:
        if change.aloud and not (unagreed and change.key == MAINTAINERS):
            yield _report(pair, updates.GROWTH, change.message, change.key)
    for drift in drifts:
        found = _report(pair, updates.BEHAVIOUR, drift.message, "entrypoint")
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
        yield _report(pair, updates.OWNER, message, MAINTAINERS, proposal.agreement.advice)


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
    yield _report(pair, updates.VERSION, message, "version", suggest_version(old, needed))


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
