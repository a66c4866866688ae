"""`agentevals registry validate`: every problem of the entries, in one pass."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import schemas
from registry_tools.cli import Agreed
from registry_tools.cli.formats import FORMATS
from registry_tools.cli.registry_gate import Isolation, Level, Validation
from registry_tools.manifests import owner_agreement, registry_folder


def validate(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help=("Registries, entries or files of entries; default: the registry in this folder")
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("-f", "--format", help=f"One of {', '.join(FORMATS.ours)}")
    ] = "text",
    changed_since: Annotated[
        str,
        typer.Option(
            metavar="REF",
            help=("Check only entries that differ from this branch, and compare them with it"),
        ),
    ] = "",
    level: Annotated[
        Level,
        typer.Option(help="legacy: six keys are enough; complete: a new entry needs all keys"),
    ] = Level.LEGACY,
    fix: Annotated[
        bool, typer.Option("--fix", help="Correct everything that needs no decision")
    ] = False,
    smoke: Annotated[
        bool, typer.Option("--smoke/--no-smoke", help="Run the evaluators too")
    ] = True,
    isolation: Annotated[
        Isolation, typer.Option(help="The lowest isolation level of programs")
    ] = Isolation.PARTIAL,
    agreed: Agreed = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print only the JSON Schema of manifests, for editors")
    ] = False,
) -> None:
    """Check manifests and their files, then run every evaluator on its fixtures.

    Programs run in a sandbox, which is tested first; with --no-smoke nothing runs.

    With --changed-since, also compare each changed entry with the other branch: its version, its
    maintainers, its scores, and the files that only the publishing job writes. Existing errors
    of that branch are warnings. Changed maintainers, and changed decisions in .tombstones.yaml,
    are errors until a person with the right agrees; in CI, GitHub is asked for approvals.

    Examples:

      agentevals registry validate

      agentevals registry validate evaluators/politeness --fix

      agentevals registry validate --changed-since origin/main --format github

    Exit codes: 0 no errors; 1 errors; 2 it cannot be checked.
    """
    if schema:
        sys.stdout.write(schemas.path("evaluator").read_text(encoding="utf-8"))
        return
    rendering = FORMATS[output]
    where = registry_folder.find(paths or [Path()])
    asked = Validation(where, changed_since, level, owner_agreement.vouch(agreed=agreed))
    outcome = asked.validate(fix=fix, isolation=isolation if smoke else None)
    for piece in rendering.render(outcome):
        sys.stdout.write(piece)
    raise typer.Exit(0 if outcome.ok else 1)
