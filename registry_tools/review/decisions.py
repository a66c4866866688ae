"""Decisions about evaluators whose folders a change does not touch: the tombstones."""

from collections.abc import Iterator

from agentevals.files.places import quote
from agentevals.model.errors import ConfigError
from registry_tools.index import build, tombstones
from registry_tools.index.tombstones import FILE, Tombstones
from registry_tools.manifests.finding import Finding, Rule, make_warning
from registry_tools.review import update_rules
from registry_tools.review.proposal import Proposal


def list_findings(proposal: Proposal) -> Iterator[Finding]:
    """List new and removed decisions, or the reason why publishing would fail."""
    if (proposal.registry.root / FILE).is_symlink():
        yield _build_finding(
            update_rules.UNLISTED, "it is a link, and where that leads does not count"
        )
        return
    try:
        after = proposal.read_decisions()
    except ConfigError as error:
        for problem in error.problems:
            message = f"no index could be compiled any more: {problem.message}"
            yield _build_finding(update_rules.UNLISTED, message, problem.line, problem.column)
        return
    for rule, message in _list_changes(_read_before(proposal), after):
        yield make_warning(_build_finding(rule, message))


def _read_before(proposal: Proposal) -> Tombstones:
    found = proposal.repository
    content = build.read_blob(found, found.list_blobs(proposal.fork, FILE), FILE)
    try:
        return tombstones.read(content)
    except ConfigError:
        return Tombstones()


def _list_changes(before: Tombstones, after: Tombstones) -> Iterator[tuple[Rule, str]]:
    old, new = dict(_list_decisions(before)), dict(_list_decisions(after))
    for what, decision in new.items():
        if old.get(what) != decision:
            yield decision
    for kind, name in old:
        if (kind, name) not in new:
            message = f"what is recorded of {quote(name)} under {quote(kind)} would be gone"
            yield update_rules.REMOVED, message


def _list_decisions(said: Tombstones) -> Iterator[tuple[tuple[str, str], tuple[Rule, str]]]:
    """Yield each decision with the place where it is recorded."""
    for name, removal in said.removed.items():
        message = f"{name} would be removed: {removal.reason}"
        yield ("removed", name), (update_rules.REMOVED, message)
    for name, transfer in said.transferred.items():
        people = ", ".join(map(str, transfer.to))
        message = f"{name} would be handed over to {people}: {transfer.reason}"
        yield ("transferred", name), (update_rules.OWNER, message)
    for name, versions in said.yanked.items():
        for version, reason in versions.items():
            message = f"{name} {version} would be withdrawn: {reason}"
            yield ("yanked", f"{name} {version}"), (update_rules.REMOVED, message)


def _build_finding(
    rule: Rule, message: str, line: int | None = None, column: int | None = None
) -> Finding:
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        message=message,
        path=FILE,
        line=line,
        column=column,
        fix="maintainers decide that; leave the file alone if you are none",
    )
