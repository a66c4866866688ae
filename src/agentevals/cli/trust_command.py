"""`agentevals evaluator trust`: a registry that does not follow what was seen of it."""

from typing import Annotated

import typer

from agentevals.cli import stderr
from agentevals.evaluator import evaluator_lists
from agentevals.text.terminal import line, plain


def trust(
    source: Annotated[str, typer.Argument(help="github, or the name of another source")] = "github",
) -> None:
    """Accept the current index of a registry, although it does not follow the last known one.

    Ask its maintainer first: somebody may have replaced the index, or the signer may be new.

    Examples:

      agentevals evaluator trust

      agentevals evaluator trust https
    """
    stderr.begin()
    print(line(plain(evaluator_lists.trust_anew(source))), end="")
