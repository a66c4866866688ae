"""Validate the entries of a registry: check their files, run their programs."""

from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module

from registry_tools import rules
from registry_tools.cli import collector
from registry_tools.manifests import changes, edits, registry
from registry_tools.manifests.finding import Finding, Outcome, make_error
from registry_tools.manifests.registry import Registry

_ROUNDS = 5  # of edits: what one has put right can show something else


class Level(StrEnum):
    """The strictness of checks: how much a manifest must have."""

    LEGACY = "legacy"
    COMPLETE = "complete"


class Isolation(StrEnum):
    """The least isolation of programs that run."""

    BASIC = "basic"
    PARTIAL = "partial"
    STRICT = "strict"


@dataclass(frozen=True)
class Validation:
    """The entries to check, and how strictly."""

    where: registry.Where
    changed_since: str = ""
    level: Level = Level.LEGACY

    def validate(self, *, fix: bool = False, isolation: Isolation | None = None) -> Outcome:
        """Return every finding; with a sandbox level, also those of running evaluators."""
        with collector.pause():
            outcome = self._fix() if fix else self._check_entries()
        return outcome if isolation is None else self._add_smoke_run(outcome, isolation)

    def _read(self) -> Registry:
        found = registry.read(*self.where)
        if not self.changed_since or not self.where.folder:
            return found
        paths = changes.list_changed_paths(found.root, self.changed_since)
        found = replace(found, changed=paths)
        affected = changes.find_affected(found, paths)
        if affected is None:
            return found
        return replace(found, names=affected & found.names if found.names else affected)

    def _check_entries(self, found: Registry | None = None, fixed: int = 0) -> Outcome:
        found = found or self._read()
        findings = tuple(self._weigh(finding) for finding in rules.check_registry(found))
        return Outcome(tuple(entry.name for entry in found.chosen), findings, fixed)

    def _add_smoke_run(self, outcome: Outcome, isolation: Isolation) -> Outcome:
        """Add the findings of a smoke run, which is imported only here."""
        smoke = import_module("registry_tools.smoke.run")
        shown = smoke.run(self._read(), smoke.Options(level=isolation.value))
        return Outcome(
            outcome.checked, rules.sort_findings(*outcome.findings, *shown), outcome.fixed
        )

    def _weigh(self, finding: Finding) -> Finding:
        strict = self.level is Level.COMPLETE and finding.rule == "complete"
        return make_error(finding) if strict else finding

    def _fix(self) -> Outcome:
        """Apply edits, and those that become possible by them."""
        made = 0
        for _ in range(_ROUNDS):
            found = self._read()
            outcome = self._check_entries(found, made)
            done = edits.apply_edits(found, outcome.findings)
            if not done:
                return outcome
            made += done
        return self._check_entries(fixed=made)
