"""`agentevals sandbox`: proves on this machine what evaluators are kept from."""

import json
from typing import Annotated

import typer

from agentevals.sandbox import isolation_promises
from agentevals.sandbox.isolation import describe_limits
from agentevals.sandbox.isolation_promises import CheckedPromise, Outcome

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Test the sandbox of this machine.",
)


@app.callback()
def _keep_group() -> None:
    """Keeps `check` a command of its own while it is the only one."""


@app.command()
def check(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
) -> None:
    """Run a program that tries to break every promise of the sandbox, and print the results.

    Exit codes: 0 every promise of this machine's level is kept; 1 a promise is broken.

    Examples:

      agentevals sandbox check

      agentevals sandbox check --json
    """
    isolation, checked = isolation_promises.check()
    write = _write_json if as_json else _write_text
    print(write(isolation, describe_limits(), checked))
    broken = any(one.outcome is Outcome.BROKEN for one in checked)
    raise typer.Exit(1 if broken else 0)


def _write_text(isolation: str, limits: str, checked: list[CheckedPromise]) -> str:
    width = max(len(outcome) for outcome in Outcome)
    lines = [f"isolation: {isolation}", f"memory of all processes: {limits}"]
    for one in checked:
        lines.append(f"{one.outcome:<{width}}  {one.promise}")
        lines += [f"{'':<{width}}    {what}" for what in one.achieved[:5]]
    return "\n".join(lines)


def _write_json(isolation: str, limits: str, checked: list[CheckedPromise]) -> str:
    rows = [
        {"promise": one.promise, "outcome": one.outcome, "achieved": one.achieved}
        for one in checked
    ]
    held = not any(one.outcome is Outcome.BROKEN for one in checked)
    document = {"isolation": isolation, "memory": limits, "held": held, "promises": rows}
    return json.dumps(document, indent=2)
