"""`agentevals evaluator trust`: a registry that does not follow what was seen of it."""

from typing import Annotated

import typer

from agentevals.cli import stderr
from agentevals.evaluator import listing
from agentevals.text.terminal import line, plain


def trust(
    source: Annotated[str, typer.Argument(help="github, or the name of another source")] = "github",
) -> None:
    """Accept a registry as it is now, although it does not follow what this machine saw before.

    Ask who maintains it first: the index may have been put back, or somebody else may sign it.

    Examples:

      agentevals evaluator trust

      agentevals evaluator trust https
    """
    stderr.begin()
    print(line(plain(listing.trust_anew(source))), end="")
