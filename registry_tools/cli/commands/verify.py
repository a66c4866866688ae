"""`agentevals registry verify`: a checkout beside an index."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.text.terminal import line, plain
from agentevals.text.wording import plural
from registry_tools.index import verification


def verify(
    root: Annotated[Path, typer.Option(help="The folder that has evaluators/ in it")] = Path(),
    index: Annotated[
        Path | None,
        typer.Option(help="What it is compared with; default: index.json or index.yaml there"),
    ] = None,
) -> None:
    """Hash what lies here, and compare it with what an index says.

    Examples:

      agentevals registry verify

      agentevals registry verify --index ~/Downloads/index.json

    Exit codes: 0 everything is as the index says, 1 something is not, 2 there is no index,
    3 it cannot be read.
    """
    found = verification.verify(root, index)
    for sentence in (*found.wrong, *found.unknown):
        sys.stdout.write(line(plain(sentence)))
    told = f"{plural(found.same, 'evaluator')} of {len(found.index.evaluators):,} as the index says"
    sys.stdout.write(line(told))
    raise typer.Exit(1 if found.wrong else 0)
