"""`agentevals registry diff`: what a branch changes for those who use the evaluators."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from registry_tools.cli import Agreed, Root
from registry_tools.cli.formats import FORMATS
from registry_tools.cli.validation import Isolation
from registry_tools.manifests import agreement
from registry_tools.review import proposal, review


def diff(
    root: Root = Path(),
    base: Annotated[
        str, typer.Option(metavar="REF", help="The branch that the change is for")
    ] = "origin/main",
    output: Annotated[
        str, typer.Option("-f", "--format", help=f"One of {', '.join(FORMATS.ours)}")
    ] = "text",
    smoke: Annotated[
        bool, typer.Option("--smoke/--no-smoke", help="Whether old and new programs are run")
    ] = True,
    isolation: Annotated[
        Isolation, typer.Option(help="The least isolation of programs")
    ] = Isolation.PARTIAL,
    agreed: Agreed = False,
) -> None:
    """Compare the evaluators here with those of another branch.

    What is published under a version never changes, so a change needs a new one: how much it must
    rise follows from configs, capabilities, and the scores that the old and the new program give
    the old fixtures. It reports what grows: capabilities, maintainers, the licence.

    Examples:

      agentevals registry diff

      agentevals registry diff --base upstream/main --format markdown

    Exit codes: 0 it can be accepted; 1 something has to be changed; 2 it cannot be compared.
    """
    rendering = FORMATS[output]
    asked = proposal.read(root, base, agreement.vouch(agreed=agreed))
    outcome = review(asked, level=isolation.value if smoke else "")
    for piece in rendering.render(outcome):
        sys.stdout.write(piece)
    raise typer.Exit(0 if outcome.ok else 1)
