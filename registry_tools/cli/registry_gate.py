"""The gate of a registry: check files, run programs, compare with the branch of a change."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path

from msgspec.structs import replace

from agentevals.files import atomic_files, yaml_strict
from agentevals.files.named_files import pause_garbage_collection
from agentevals.model.errors import Edit, InputError
from agentevals.model.results import Severity
from registry_tools import rules
from registry_tools.manifests import changed_entries, registry_folder
from registry_tools.manifests.owner_agreement import Agreement, Ask
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Outcome, make_error
from registry_tools.manifests.registry_folder import Registry

_UNLISTED = "update-unlisted"  # which tells less than what is wrong with the manifest
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
    """The entries to check, and how strictly.

    With `changed_since` only those that a change is about, compared with what users have today;
    a change that `is_published` has nothing to be compared with. `ask` tells who agreed to it.
    """

    where: registry_folder.Where
    changed_since: str = ""
    level: Level = Level.LEGACY
    ask: Ask = Agreement  # nobody is asked
    is_published: bool = False

    def validate(self, *, fix: bool = False, isolation: Isolation | None = None) -> Outcome:
        """Return every finding; with a sandbox level, also those of running evaluators."""
        with pause_garbage_collection(for_good=True):
            found, outcome = self._fix() if fix else self._check_entries()
        if isolation is not None:
            outcome = _add_smoke_run(found, outcome, isolation)
        if not self.changed_since or not self.where.folder or self.is_published:
            return outcome
        return self._add_review(found, outcome, isolation)

    def _add_review(
        self, found: Registry, outcome: Outcome, isolation: Isolation | None
    ) -> Outcome:
        """Add what a change means for users; its module is imported only here."""
        review = import_module("registry_tools.review")
        proposal = import_module("registry_tools.review.reviewed_changes")
        level = isolation.value if isolation else ""
        proposed = proposal.compare(found, self.changed_since, self.ask)
        seen: Outcome = review.review(proposed, level=level)
        explained = {one.entry for one in outcome.findings if one.severity is Severity.ERROR}
        news = (o for o in seen.findings if o.rule != _UNLISTED or o.entry not in explained)
        return replace(
            outcome,
            checked=tuple(sorted({*outcome.checked, *seen.checked})),
            findings=tuple(dict.fromkeys(rules.sort_findings(*outcome.findings, *news))),
            updates=seen.updates,
        )

    def _read(self) -> Registry:
        found = registry_folder.read(*self.where)
        if not self.changed_since or not self.where.folder:
            return found
        return changed_entries.narrow(found, self.changed_since)

    def _check_entries(self, fixed: int = 0) -> tuple[Registry, Outcome]:
        found = self._read()
        findings = tuple(self._weigh(finding) for finding in rules.check_registry(found))
        return found, Outcome(tuple(entry.name for entry in found.chosen), findings, fixed)

    def _weigh(self, finding: Finding) -> Finding:
        strict = self.level is Level.COMPLETE and finding.rule in {"complete", "placeholder"}
        return make_error(finding) if strict else finding

    def _fix(self) -> tuple[Registry, Outcome]:
        """Apply edits, and those that become possible by them."""
        found, outcome = self._check_entries()
        for _ in range(_ROUNDS):
            done = _apply_edits(found, outcome.findings)
            if not done:
                break
            found, outcome = self._check_entries(outcome.fixed + done)
        return found, outcome


def _add_smoke_run(found: Registry, outcome: Outcome, isolation: Isolation) -> Outcome:
    """Add the findings of a smoke run, which is imported only here."""
    smoke = import_module("registry_tools.smoke.smoke_run")
    shown = smoke.run(found, smoke.Options(level=isolation.value))
    weighed = (rules.weigh(finding, found) for finding in shown)
    return replace(outcome, findings=rules.sort_findings(*outcome.findings, *weighed))


def _apply_edits(registry: Registry, findings: Iterable[Finding]) -> int:
    """Make all edits that do not overlap, and return how many; the others wait for a rerun."""
    wanted: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.edit is not None:
            wanted.setdefault(finding.entry, []).append(finding.edit)
    return sum(_edit_manifest(registry.by_name[name], edits) for name, edits in wanted.items())


def _edit_manifest(entry: Entry, edits: list[Edit]) -> int:
    """Edit one manifest, and give it LF line ends and no byte order mark."""
    text, made, before = entry.document.text, 0, len(entry.document.text) + 1
    for edit in sorted(set(edits), key=lambda one: (one.start, one.end), reverse=True):
        if edit.end > before:
            continue
        text = text[: edit.start] + edit.text + text[edit.end :]
        before, made = edit.start, made + 1
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not entry.document.problems and yaml_strict.read(text.encode(), len(text) * 4).problems:
        return 0  # behind the end of a document, for example, nothing can be added
    _replace_file(entry.root / entry.path, text)
    return made


def _replace_file(path: Path, text: str) -> None:
    """Replace the file whole, with the permissions that it had."""
    try:
        mode = path.stat(follow_symlinks=False).st_mode & 0o777
        atomic_files.write(path, text.encode(), mode=mode)
    except OSError as error:
        msg = f"{path}: cannot be written to: {(error.strerror or 'unknown').lower()}"
        raise InputError(msg) from None
