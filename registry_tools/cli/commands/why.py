"""`agentevals registry why`: why an evaluator is not listed."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.text.terminal import line, plain
from registry_tools.cli import lookup


def why(
    name: Annotated[str, typer.Argument(help="The name of an evaluator")],
    root: Annotated[Path, typer.Option(help="The folder that has evaluators/ in it")] = Path(),
    base: Annotated[
        str, typer.Option(metavar="REF", help="The branch that is published")
    ] = "origin/main",
) -> None:
    """Say why an evaluator is not listed: everything between its folder and the index.

    Examples:

      agentevals registry why politeness

    Exit codes: 0 it is listed, 1 it is not, 2 nobody can tell.
    """
    answer = lookup.explain(root, name, base)
    for sentence in answer.sentences:
        sys.stdout.write(line(plain(sentence)))
    raise typer.Exit(0 if answer.listed else 1)
