"""Findings: what somebody must know about a registry, at the place where it can be corrected."""

from typing import NamedTuple

from msgspec.structs import replace

from agentevals.files.document_places import Key
from agentevals.model.errors import Edit, Extent
from agentevals.model.noun import Noun
from agentevals.model.results import Severity

KeyPath = tuple[Key, ...]


class Spot(NamedTuple):
    """The value at a path of a manifest, or its key."""

    where: KeyPath
    of_key: bool = False


class Misfit(NamedTuple):
    """One thing that does not fit: the value at a path, or its key.

    `rule` is the one that is broken: a keyword of the schema, or a rule of the registry. `wanted`
    is what could stand there instead, and `only` whether nothing else could have been meant.
    `known` are the keys that could be meant, where there are few.
    """

    message: str
    where: KeyPath
    of_key: bool = False
    fix: str = ""
    rule: str = ""
    wanted: str = ""
    only: bool = False
    known: tuple[str, ...] = ()


class Rule(Noun, frozen=True, omit_defaults=False):
    """A demand, and why; `bad` and `good` are examples, `mends` is what `--fix` does."""

    id: str
    severity: Severity
    title: str
    why: str
    bad: str
    good: str
    mends: str = ""

    def report(  # noqa: PLR0913 -- what a finding has
        self,
        message: str,
        path: str,
        at: Extent | None = None,
        *,
        fix: str = "",
        entry: str = "",
        edit: Edit | None = None,
    ) -> "Finding":
        """Return a finding of this severity, about a file or a place in it."""
        return Finding(
            rule=self.id,
            severity=self.severity,
            message=message,
            path=path,
            line=at.line if at else None,
            column=at.column if at else None,
            end_line=at.end_line if at else None,
            end_column=at.end_column if at else None,
            fix=fix,
            entry=entry,
            edit=edit,
        )


class Finding(Noun, frozen=True, omit_defaults=False):
    """A mistake, where, and what to do about it. `path` is relative to the registry's root."""

    rule: str
    severity: Severity
    message: str
    path: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    fix: str = ""
    entry: str = ""
    edit: Edit | None = None

    def describe(self) -> str:
        """Describe it in one line, with its place and what to do."""
        return f"{self.place}: {self.message}" + (f"; {self.fix}" if self.fix else "")

    @property
    def place(self) -> str:
        """The place as people write it: `evaluators/x/evaluator.yaml:3:1`."""
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part)


class Update(Noun, frozen=True, omit_defaults=False):
    """A change of an evaluator for its users. None where it is not; a version may be empty."""

    name: str
    before: str | None
    after: str | None


class Outcome(Noun, frozen=True, omit_defaults=False):
    """The findings in the order of the files; `checked` are names, `fixed` edits that were made.

    `updates` are what a change does to evaluators, where it was compared with another branch.
    """

    checked: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    fixed: int = 0
    updates: tuple[Update, ...] = ()

    def count(self, severity: Severity) -> int:
        """Count the findings of one severity."""
        return sum(1 for finding in self.findings if finding.severity is severity)

    @property
    def ok(self) -> bool:
        """True if nothing has to be changed."""
        return not self.count(Severity.ERROR)

    @property
    def fixable(self) -> int:
        """The number of findings that `--fix` would correct."""
        return sum(1 for finding in self.findings if finding.edit is not None)


def make_error(finding: Finding) -> Finding:
    """Return a finding as an error, where more is asked for."""
    return replace(finding, severity=Severity.ERROR)


def make_warning(finding: Finding) -> Finding:
    """Return a finding as a warning, for authors who could not know."""
    return replace(finding, severity=Severity.WARNING)


def make_note(finding: Finding) -> Finding:
    """Return a finding as a note: nothing has to be done about it."""
    return replace(finding, severity=Severity.NOTE)
