"""The option of commands that keep recordings: whether tokens are hidden in them."""

import sys
from typing import Annotated

import typer

from agentevals.text.redaction import TokenMarker

Redact = Annotated[
    bool,
    typer.Option(
        "--redact/--no-redact",
        help="Hide tokens of vendors, private keys and passwords in addresses",
    ),
]


def report_hidden(marker: TokenMarker) -> None:
    """Print how many secrets are hidden, and of which shapes. No secret is printed."""
    if marker.found:
        print(f"agentevals: {marker.describe()}; give --no-redact to keep them", file=sys.stderr)
