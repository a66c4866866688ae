"""`agentevals registry validate`: everything that is wrong with the entries, in one pass."""

import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from agentevals import schemas
from agentevals.errors import InputError
from agentevals.seams import suggestion
from registry_tools import changes, collector, edits, registry, rules
from registry_tools.finding import Finding, as_error
from registry_tools.outcome import Outcome
from registry_tools.outputs import OUTPUTS
from registry_tools.registry import Registry

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


def validate(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Registries, entries or files of entries; default: all that is here"),
    ] = None,
    output: Annotated[
        str, typer.Option("-f", "--format", help=f"One of {', '.join(OUTPUTS.ours)}")
    ] = "text",
    changed_since: Annotated[
        str, typer.Option(metavar="REF", help="Only what changed since this branch or commit")
    ] = "",
    level: Annotated[
        Level, typer.Option(help="complete: everything that we ask for must be there")
    ] = Level.LEGACY,
    fix: Annotated[
        bool, typer.Option("--fix", help="Put right what nobody has to think about")
    ] = False,
    smoke: Annotated[
        bool, typer.Option("--smoke/--no-smoke", help="Whether evaluators are run as well")
    ] = True,
    isolation: Annotated[
        Walls, typer.Option(help="How far they must be shut in, at least")
    ] = Walls.PARTIAL,
    schema: Annotated[
        bool, typer.Option("--schema", help="Only print the JSON Schema of manifests, for editors")
    ] = False,
) -> None:
    """Check manifests and what lies beside them, then run every evaluator on its fixtures.

    Programs are run behind walls that are tried out first; with --no-smoke nothing is run.

    Examples:

      agentevals registry validate

      agentevals registry validate evaluators/politeness --fix

      agentevals registry validate --changed-since origin/main --format github

    Exit codes: 0 nothing has to be changed, 1 something has, 2 it cannot be checked.
    """
    if schema:
        sys.stdout.write(schemas.path("evaluator").read_text(encoding="utf-8"))
        return
    if output not in OUTPUTS:
        msg = f"unknown format {output!r}{suggestion(output, list(OUTPUTS.ours))}"
        raise InputError(msg)
    asked = _Asked(registry.find(paths or [Path()]), changed_since, level)
    with collector.idle():
        outcome = _fixed(asked) if fix else asked.outcome()
    if smoke:
        outcome = asked.tried(outcome, isolation)
    for piece in OUTPUTS[output].render(outcome):
        sys.stdout.write(piece)
    raise typer.Exit(0 if outcome.ok else 1)


@dataclass(frozen=True)
class _Asked:
    """What is to be checked, and how strictly."""

    where: registry.Where
    changed_since: str
    level: Level

    def read(self) -> Registry:
        found = registry.read(*self.where)
        if not self.changed_since:
            return found
        affected = changes.affected(found, self.changed_since)
        if affected is None:
            return found
        return replace(found, names=affected & found.names if found.names else affected)

    def outcome(self, found: Registry | None = None, fixed: int = 0) -> Outcome:
        found = found or self.read()
        findings = tuple(self._weighed(finding) for finding in rules.run(found))
        return Outcome(tuple(entry.name for entry in found.chosen), findings, fixed)

    def tried(self, outcome: Outcome, walls: Walls) -> Outcome:
        """With what running the evaluators shows; imported only where something is run."""
        smoke = import_module("registry_tools.smoke.run")
        shown = smoke.run(self.read(), smoke.Options(level=walls.value))
        return Outcome(outcome.checked, rules.ordered(*outcome.findings, *shown), outcome.fixed)

    def _weighed(self, finding: Finding) -> Finding:
        strict = self.level is Level.COMPLETE and finding.rule == "complete"
        return as_error(finding) if strict else finding


def _fixed(asked: _Asked) -> Outcome:
    """After the edits; what they brought to light is put right as well."""
    made = 0
    for _ in range(_ROUNDS):
        found = asked.read()
        outcome = asked.outcome(found, made)
        done = edits.make(found, outcome.findings)
        if not done:
            return outcome
        made += done
    return asked.outcome(fixed=made)
