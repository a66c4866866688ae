"""`agentevals registry …`. To add a command: write a module in `commands`, then list it here.

A command's module is imported when the command is named.
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from agentevals.cli import Command
from agentevals.seams import suggestion

_HOME = "registry_tools.commands"

COMMANDS: dict[str, Command] = {
    "validate": Command(f"{_HOME}.validate:validate", "Check manifests and what lies beside them"),
    "index": Command(f"{_HOME}.index:index", "Compile what lists and clients read"),
    "diff": Command(f"{_HOME}.diff:diff", "Say what a branch changes for those who use them"),
    "verify": Command(f"{_HOME}.verify:verify", "Compare what lies here with an index"),
    "why": Command(f"{_HOME}.why:why", "Say why an evaluator is not listed"),
    "publish": Command(f"{_HOME}.publish:publish", "Compile the index of a branch and push it"),
    "new": Command(f"{_HOME}.new:new", "Write an evaluator that works as it stands"),
}


class LazyGroup(TyperGroup):
    """Knows the names of all commands, and imports only the one that is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 -- typer's signature
        """In the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 -- typer's signature
        """The real command, imported now; None makes typer say which names there are."""
        return _load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """An unknown name is answered with the nearest."""
        if args[0] not in COMMANDS:
            ctx.fail(f"no command {args[0]!r}{suggestion(args[0], list(COMMANDS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- as above
        """The help lines of the table, so that nothing is imported to show them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])


def _load(name: str) -> Any:
    module, _, attribute = COMMANDS[name].target.partition(":")
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name=name)(getattr(import_module(module), attribute))
    loaded = get_command(alone)
    loaded.name = name
    return loaded


app = typer.Typer(
    cls=LazyGroup,
    help="Keep a registry of evaluators: check it, compile its index, look into it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Keep a registry of evaluators: check it, compile its index, look into it."""
