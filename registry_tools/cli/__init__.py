"""`agentevals registry …`. To add a command: write a module in `commands`, then list it here.

A command's module is imported when the command is named.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import lazy
from agentevals.cli.lazy import Command
from agentevals.text.terminal import line, plain

_HOME = "registry_tools.cli.commands"

COMMANDS: dict[str, Command] = {
    "validate": Command(f"{_HOME}.validate:validate", "Check manifests and what lies beside them"),
    "index": Command(f"{_HOME}.index:index", "Compile what lists and clients read"),
    "diff": Command(f"{_HOME}.diff:diff", "Say what a branch changes for those who use them"),
    "verify": Command(f"{_HOME}.verify:verify", "Compare what lies here with an index"),
    "why": Command(f"{_HOME}.why:why", "Say why an evaluator is not listed"),
    "evidence": Command(f"{_HOME}.evidence:evidence", "Count how well evaluators judge examples"),
    "site": Command(f"{_HOME}.site:site", "Write pages of the index, with search and tags"),
    "publish": Command(f"{_HOME}.publish:publish", "Compile the index of a branch and push it"),
    "yank": Command(f"{_HOME}.decide:yank", "Withdraw a published version"),
    "remove": Command(f"{_HOME}.decide:remove", "Remove an evaluator, and keep its name taken"),
    "restore": Command(f"{_HOME}.decide:restore", "Take a withdrawal or a removal back"),
    "transfer": Command(f"{_HOME}.decide:transfer", "Hand an evaluator over to others"),
    "rename": Command(f"{_HOME}.decide:rename", "Give an evaluator another name"),
    "new": Command(f"{_HOME}.new:new", "Write an evaluator that works at once"),
}

Root = Annotated[Path, typer.Option(help="The folder that contains evaluators/")]
Agreed = Annotated[
    bool,
    typer.Option(
        "--agreed",
        help=("Confirm that a person with the right agreed to changed owners and decisions"),
    ),
]
SignKey = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Sign head.json with this Ed25519 SSH key"),
]
Keyless = Annotated[
    bool,
    typer.Option("--keyless", help="Sign head.json with Sigstore, in a workflow"),
]


def print_line(sentence: str) -> None:
    """Print a sentence, in which others may have written a part, as one harmless line."""
    sys.stdout.write(line(plain(sentence)))


app = typer.Typer(
    cls=lazy.make_group(COMMANDS),
    help="Run a registry of evaluators: check it, compile its index, record decisions.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Run a registry of evaluators: check it, compile its index, record decisions."""
