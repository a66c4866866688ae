"""The command line. To add a command: write a module with a function, then list it here.

A command's module is imported when the command is named, so that `--help` and completion cost
no more than typer itself.
"""

import gc
import os
import sys
import traceback
from typing import Annotated

import typer

from agentevals.cli import command_process, lazy_commands
from agentevals.cli.lazy_commands import Command
from agentevals.model.errors import AgentEvalsError, InputError
from agentevals.model.version import VERSION
from agentevals.sandbox import cancelling
from agentevals.text.terminal import line, plain

_HOME = "agentevals.cli"
_GC_THRESHOLD = 50_000  # imports and runs make many small lasting objects and hardly any cycles

COMMANDS: dict[str, Command] = {
    "run": Command(
        f"{_HOME}.commands.run:run", "Score recorded traces, and print whether they pass"
    ),
    "merge": Command(f"{_HOME}.commands.merge:merge", "Combine the parts of a run"),
    "compare": Command(f"{_HOME}.commands.compare:compare", "Compare the reports of two runs"),
    "show": Command(f"{_HOME}.commands.show:show", "List the cases of a report, or show one"),
    "explain": Command(f"{_HOME}.commands.explain:explain", "Explain the result of one case"),
    "validate": Command(
        f"{_HOME}.commands.validate:validate", "Check configs without running them"
    ),
    "convert": Command(f"{_HOME}.commands.convert:convert", "Convert a config to another format"),
    "init": Command(f"{_HOME}.commands.init:init", "Write a config and a workflow for your traces"),
    "record": Command(f"{_HOME}.commands.record:record", "Run a command, and record its traces"),
    "doctor": Command(
        f"{_HOME}.commands.doctor:doctor", "Show what recordings contain, and what is missing"
    ),
    "bless": Command(f"{_HOME}.commands.bless:bless", "Make an eval set from good recordings"),
    "evaluator": Command(f"{_HOME}.commands.evaluator:app", "Write, find and configure evaluators"),
    "lock": Command(f"{_HOME}.commands.lock:lock", "Pin remote evaluators by digest"),
    "registry": Command("", "Run a registry of evaluators"),  # of the registry tools
    "sandbox": Command(f"{_HOME}.commands.sandbox:app", "Test the sandbox of this machine"),
}

# commands of agentevals-cli that are none here, and what there is instead
_ELSEWHERE = {
    **dict.fromkeys(
        ("serve", "mcp", "migrate"), "is not available, because agentevals has no server"
    ),
    "list-metrics": "is 'agentevals evaluator list' here",
}


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"agentevals {VERSION}")
        raise typer.Exit


app = typer.Typer(
    name="agentevals",
    cls=lazy_commands.make_group(COMMANDS, _ELSEWHERE),
    help="Score the traces of AI agents, and find out whether a change made the agent worse.",
    epilog="Start with: agentevals init",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def common(
    _version_wanted: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version"),
    ] = False,
) -> None:
    """Score the traces of AI agents, and find out whether a change made the agent worse."""


def main() -> None:
    """Run one command; every failure becomes a sentence and its exit code."""
    try:
        cancelling.heed(unless_ignored=True)
        with cancelling.insist():
            _prepare()
            _run()
    except AgentEvalsError as error:
        code = _report(str(error), error.exit_code)
    except cancelling.Cancelled as cancelled:
        cancelling.leave(_report(str(cancelled), cancelled.exit_code))
    except Exception as error:  # noqa: BLE001 -- a bug has an exit code of its own
        code = _report_bug(error)
    finally:
        cancelling.end_at_once()
        gc.freeze()  # all of it ends now: to look for garbage in it once more is lost time
    sys.exit(code)


def _prepare() -> None:
    gc.set_threshold(_GC_THRESHOLD)
    command_process.prepare_streams()
    # no plug-in of pydantic has any business here, and to look for them takes a while
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    command_process.start_sandbox(sys.argv[1:])


def _run() -> None:
    try:
        app()
    finally:  # what cannot be written is found out here, not when the interpreter ends
        sys.stdout.flush()


def _report_bug(error: Exception) -> int:
    refused = command_process.describe_refusal(error)
    if refused is None:
        traceback.print_exception(error)
        return _report("this is a bug in agentevals; please report it with the lines above", 4)
    command_process.abandon_output()
    return _report(refused, InputError.exit_code) if refused else 1


def _report(message: str, code: int) -> int:
    said = "".join(line(plain(text)) for text in message.splitlines())
    print(f"agentevals: {said}", end="", file=sys.stderr)
    return code
