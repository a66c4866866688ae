"""Review a proposed change: forbidden steps, changes to see, the version it needs."""

import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from agentevals.evaluator.index import IndexEntry
from agentevals.files.places import quote
from agentevals.model.errors import ConfigError
from registry_tools.index import build, tombstones, updates
from registry_tools.index.tombstones import FILE as TOMBSTONES
from registry_tools.index.tombstones import Tombstones
from registry_tools.index.updates import Step, measure_step, suggest_version
from registry_tools.manifests.finding import Finding, Outcome, Rule, make_note, make_warning
from registry_tools.manifests.registry import FOLDER
from registry_tools.review import differences
from registry_tools.review.differences import Change, Drift
from registry_tools.review.proposal import GENERATED, Pair, Proposal
from registry_tools.smoke import program

_RULES = {rule.id: rule for rule in updates.ALL}
_WORDS = {Step.PATCH: "patch", Step.MINOR: "minor", Step.MAJOR: "major"}


def review(proposal: Proposal, *, level: str = "") -> Outcome:
    """Review every changed evaluator. With a sandbox level, run the old and new programs."""
    pairs = list(proposal.pairs)
    why = program.find_objection(level) if level and any(p.old and p.new for p in pairs) else ""
    found = list(_refuse_generated(proposal))
    for pair in pairs:
        drifts = _find_drifts(proposal, pair, "" if why else level)
        found += _review_pair(proposal, pair, drifts)
    found += _review_decisions(proposal)
    if why:
        message = f"programs were not run: {why}"
        found.append(_build_finding(None, FOLDER, updates.BEHAVIOUR, message))
    return Outcome(tuple(pair.name for pair in pairs), tuple(found))


def _refuse_generated(proposal: Proposal) -> Iterator[Finding]:
    there = {blob.path for blob in proposal.repository.list_blobs(proposal.fork, *GENERATED)}
    for path in proposal.list_generated():
        message = "this file is written by the job that publishes"
        undo = f"git checkout {proposal.fork[:12]} --" if path in there else "git rm --cached"
        fix = f"{undo} {shlex.quote(path)}"
        yield updates.GENERATED.report(message, path, fix=fix)


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
        fix = pair.unlisted.fix or f"agentevals registry validate {FOLDER}/{pair.name}"
        yield _report(pair, updates.UNLISTED, message, fix=fix)
    elif pair.name not in proposal.tombstones.removed:
        message = "it is removed, and no tombstone says why"
        fix = "record it under 'removed' in evaluators/.tombstones.yaml"
        yield _report(pair, updates.REMOVED, message, fix=fix)


def _review_addition(proposal: Proposal, pair: Pair, new: IndexEntry) -> Iterator[Finding]:
    if pair.name in proposal.tombstones.removed:
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
    forbidden = list(updates.find_misfits(old, new, proposal.tombstones))
    for one in forbidden:
        fix = suggest_version(old, needed) if one.rule == updates.VERSION.id else one.fix
        yield _report(pair, _RULES[one.rule], one.message, str(one.where[0]), fix)
    if not any(one.rule == updates.VERSION.id for one in forbidden):
        yield from _check_step(pair, old, new, needed, changes, drifts)
    for change in changes:
        if change.aloud:
            yield _report(pair, updates.GROWTH, change.message, change.key)
    for drift in drifts:
        found = _report(pair, updates.BEHAVIOUR, drift.message, "entrypoint")
        yield make_note(found) if drift.step is Step.NONE else found


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


def _review_decisions(proposal: Proposal) -> Iterator[Finding]:
    """List new and removed decisions, or the reason why publishing would fail."""
    if (proposal.registry.root / TOMBSTONES).is_symlink():
        yield _build_decision(updates.UNLISTED, "it is a link, and where that leads does not count")
        return
    try:
        after = proposal.read_decisions()
    except ConfigError as error:
        for problem in error.problems:
            message = f"no index could be compiled any more: {problem.message}"
            found = _build_decision(updates.UNLISTED, message)
            yield replace(found, line=problem.line, column=problem.column)
        return
    for rule, message in _list_decision_changes(_read_before(proposal), after):
        yield make_warning(_build_decision(rule, message))


def _read_before(proposal: Proposal) -> Tombstones:
    found = proposal.repository
    content = build.read_blob(found, found.list_blobs(proposal.fork, TOMBSTONES), TOMBSTONES)
    try:
        return tombstones.read(content)
    except ConfigError:
        return Tombstones()


def _list_decision_changes(before: Tombstones, after: Tombstones) -> Iterator[tuple[Rule, str]]:
    old, new = dict(_list_decisions(before)), dict(_list_decisions(after))
    for what, decision in new.items():
        if old.get(what) != decision:
            yield decision
    for kind, name in old:
        if (kind, name) not in new:
            message = f"what is recorded of {quote(name)} under {quote(kind)} would be gone"
            yield updates.REMOVED, message


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


def _build_decision(rule: Rule, message: str) -> Finding:
    fix = "maintainers decide that; leave the file alone if you are none"
    return rule.report(message, TOMBSTONES, fix=fix)


def _report(pair: Pair, rule: Rule, message: str, key: str = "", fix: str = "") -> Finding:
    return _build_finding(pair, f"{FOLDER}/{pair.name}/evaluator.yaml", rule, message, key, fix)


def _build_finding(  # noqa: PLR0913, PLR0917 -- what a finding has
    pair: Pair | None, path: str, rule: Rule, message: str, key: str = "", fix: str = ""
) -> Finding:
    if pair and pair.entry:
        return pair.entry.report(rule, message, pair.entry.locate(key or "name"), fix=fix)
    return rule.report(message, path, fix=fix, entry=pair.name if pair else "")
