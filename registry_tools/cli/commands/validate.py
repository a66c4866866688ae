"""`agentevals registry validate`: every problem of the entries, in one pass."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import schemas
from registry_tools.cli import Agreed
from registry_tools.cli.formats import FORMATS
from registry_tools.cli.validation import Isolation, Level, Validation
from registry_tools.manifests import agreement, registry


def validate(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Registries, entries or files of entries; default: all that is here"),
    ] = None,
    output: Annotated[
        str, typer.Option("-f", "--format", help=f"One of {', '.join(FORMATS.ours)}")
    ] = "text",
    changed_since: Annotated[
        str,
        typer.Option(
            metavar="REF", help="Check what changed since this branch, and compare it with that"
        ),
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
        Isolation, typer.Option(help="The least isolation of programs")
    ] = Isolation.PARTIAL,
    agreed: Agreed = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Only print the JSON Schema of manifests, for editors")
    ] = False,
) -> None:
    """Check manifests and what lies beside them, then run every evaluator on its fixtures.

    Programs run in a sandbox that is checked first; with --no-smoke nothing runs.

    With --changed-since, also compare each changed entry with the other branch: its version, its
    maintainers, its scores, and the files that only the publishing job writes. What is broken on
    that branch already is a warning. Other maintainers, and other decisions in .tombstones.yaml,
    are an error until somebody agreed who may decide: in CI, GitHub is asked who approved.

    Examples:

      agentevals registry validate

      agentevals registry validate evaluators/politeness --fix

      agentevals registry validate --changed-since origin/main --format github

    Exit codes: 0 nothing has to be changed; 1 something has; 2 it cannot be checked.
    """
    if schema:
        sys.stdout.write(schemas.path("evaluator").read_text(encoding="utf-8"))
        return
    rendering = FORMATS[output]
    where = registry.find(paths or [Path()])
    asked = Validation(where, changed_since, level, agreement.vouch(agreed=agreed))
    outcome = asked.validate(fix=fix, isolation=isolation if smoke else None)
    for piece in rendering.render(outcome):
        sys.stdout.write(piece)
    raise typer.Exit(0 if outcome.ok else 1)
