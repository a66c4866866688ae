"""What is wrong with the entries of a registry: their files are checked, their programs run."""

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
    """What a manifest must say."""

    LEGACY = "legacy"
    COMPLETE = "complete"


class Walls(StrEnum):
    """How far what is run must be shut in, at least."""

    BASIC = "basic"
    PARTIAL = "partial"
    STRICT = "strict"


@dataclass(frozen=True)
class Validation:
    """What is to be checked, and how strictly."""

    where: registry.Where
    changed_since: str = ""
    level: Level = Level.LEGACY

    def outcome(self, *, fix: bool = False, walls: Walls | None = None) -> Outcome:
        """Everything that is wrong; with walls around them, also what running evaluators shows."""
        with collector.idle():
            outcome = self._fixed() if fix else self._looked()
        return outcome if walls is None else self._tried(outcome, walls)

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

    def _looked(self, found: Registry | None = None, fixed: int = 0) -> Outcome:
        found = found or self._read()
        findings = tuple(self._weighed(finding) for finding in rules.check_registry(found))
        return Outcome(tuple(entry.name for entry in found.chosen), findings, fixed)

    def _tried(self, outcome: Outcome, walls: Walls) -> Outcome:
        """With what running the evaluators shows; imported only where something is run."""
        smoke = import_module("registry_tools.smoke.run")
        shown = smoke.run(self._read(), smoke.Options(level=walls.value))
        return Outcome(
            outcome.checked, rules.sort_findings(*outcome.findings, *shown), outcome.fixed
        )

    def _weighed(self, finding: Finding) -> Finding:
        strict = self.level is Level.COMPLETE and finding.rule == "complete"
        return make_error(finding) if strict else finding

    def _fixed(self) -> Outcome:
        """After the edits; what they brought to light is put right as well."""
        made = 0
        for _ in range(_ROUNDS):
            found = self._read()
            outcome = self._looked(found, made)
            done = edits.apply_edits(found, outcome.findings)
            if not done:
                return outcome
            made += done
        return self._looked(fixed=made)
