"""`agentevals registry …`. To add a command: write a module in `commands`, then list it here.

A command's module is imported when the command is named.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import lazy_commands
from agentevals.cli.lazy_commands import Command
from agentevals.text.terminal import line, plain

_HOME = "registry_tools.cli.commands"

COMMANDS: dict[str, Command] = {
    "validate": Command(f"{_HOME}.validate:validate", "Check evaluators and their files"),
    "index": Command(f"{_HOME}.index:index", "Compile the index"),
    "diff": Command(f"{_HOME}.diff:diff", "Show what a branch changes for users"),
    "verify": Command(f"{_HOME}.verify:verify", "Compare the files with the index"),
    "why": Command(f"{_HOME}.why:why", "Print why an evaluator is not in the index"),
    "evidence": Command(f"{_HOME}.evidence:evidence", "Measure evaluators on labelled examples"),
    "site": Command(f"{_HOME}.site:site", "Write a web site of the registry"),
    "publish": Command(f"{_HOME}.publish:publish", "Compile the index of a branch, and push it"),
    "yank": Command(f"{_HOME}.decide:yank", "Withdraw a published version"),
    "remove": Command(f"{_HOME}.decide:remove", "Remove an evaluator, and reserve its name"),
    "restore": Command(f"{_HOME}.decide:restore", "Undo a withdrawal or a removal"),
    "transfer": Command(f"{_HOME}.decide:transfer", "Change the maintainers of an evaluator"),
    "rename": Command(f"{_HOME}.decide:rename", "Rename an evaluator"),
    "new": Command(f"{_HOME}.new:new", "Write a new evaluator"),
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
    cls=lazy_commands.make_group(COMMANDS),
    help="Run a registry of evaluators: check it, compile its index, record decisions.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Run a registry of evaluators: check it, compile its index, record decisions."""
