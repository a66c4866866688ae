"""Groups of commands, imported when a command is named, and values that a shell offers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from agentevals.model.plugins import Table, load, suggestion

_ADDED: Table[Any] = Table("command", {}, group="agentevals.commands")


def complete(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that lists the names with a given start."""

    def list_names(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return list_names


class Command(NamedTuple):
    """The import path of a command, and the line that `--help` shows for it.

    A command without a target belongs to a package on top of ours: its entry point says where.
    """

    target: str
    help: str


def make_group(
    commands: Mapping[str, Command], elsewhere: Mapping[str, str] | None = None
) -> type[TyperGroup]:
    """Knows the names of all commands, and imports only the one that is asked for.

    Commands of `agentevals-cli` that are `elsewhere` are answered with what is said of them.
    """

    class LazyGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 -- typer's signature
            """List the commands in the order of the table: that in which people meet them."""
            return list(commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 -- as above
            """The real command, imported now; None makes typer say which names there are."""
            return _load(cmd_name, commands[cmd_name]) if cmd_name in commands else None

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """An unknown name is answered with the nearest."""
            if said := (elsewhere or {}).get(args[0]):
                ctx.fail(f"{args[0]!r} of agentevals-cli {said}")
            if args[0] not in commands:
                ctx.fail(f"no command {args[0]!r}{suggestion(args[0], list(commands))}")
            return super().resolve_command(ctx, args)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 -- as above
            """The help lines of the table, so that nothing is imported to show them."""
            with formatter.section("Commands"):
                formatter.write_dl([(name, command.help) for name, command in commands.items()])

    return LazyGroup


def _load(name: str, command: Command) -> Any:
    found = load(command.target) if command.target else _ADDED[name]
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name=name)(found)
        found = alone
    loaded = get_command(found)
    loaded.name = name
    return loaded
