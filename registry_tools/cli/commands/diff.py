"""`agentevals registry diff`: what a branch changes for those who use the evaluators."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from registry_tools.cli import Agreed, Root
from registry_tools.cli.formats import FORMATS
from registry_tools.cli.registry_gate import Isolation
from registry_tools.manifests import owner_agreement
from registry_tools.review import review, reviewed_changes


def diff(
    root: Root = Path(),
    base: Annotated[
        str, typer.Option(metavar="REF", help="The branch to compare with")
    ] = "origin/main",
    output: Annotated[
        str, typer.Option("-f", "--format", help=f"One of {', '.join(FORMATS.ours)}")
    ] = "text",
    smoke: Annotated[
        bool, typer.Option("--smoke/--no-smoke", help="Run the old and the new programs")
    ] = True,
    isolation: Annotated[
        Isolation, typer.Option(help="The lowest isolation level of programs")
    ] = Isolation.PARTIAL,
    agreed: Agreed = False,
) -> None:
    """Compare the evaluators here with those of another branch.

    A published version never changes, so a change needs a new version. The command runs the old
    and the new program on the old fixtures, and prints the lowest version that the change needs.
    It also reports added capabilities, and changes of maintainers and of the licence.

    Examples:

      agentevals registry diff

      agentevals registry diff --base upstream/main --format markdown

    Exit codes: 0 no errors; 1 errors; 2 it cannot be compared.
    """
    rendering = FORMATS[output]
    asked = reviewed_changes.read(root, base, owner_agreement.vouch(agreed=agreed))
    outcome = review(asked, level=isolation.value if smoke else "")
    for piece in rendering.render(outcome):
        sys.stdout.write(piece)
    raise typer.Exit(0 if outcome.ok else 1)
