"""`agentevals evaluator`: write evaluators, list them, and put them into a config."""

import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any

import typer
import yaml

from agentevals.cli import stderr, trust_command, uipath_class_commands
from agentevals.cli.lazy_commands import complete
from agentevals.custom_evaluators import create_executor, executor_names, get_runtimes
from agentevals.evaluator import (
    evaluator_lists,
    evaluator_names,
    evaluator_scaffold,
    evaluator_settings,
)
from agentevals.evaluator.sources import EvaluatorInfo, get_sources
from agentevals.graders import BUILTINS, GRADERS, JUDGED
from agentevals.model.builtins import EVALUATORS
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.text.terminal import pad, plain

_WITHOUT_TERMINAL = 120  # columns
_ASKS_A_JUDGE = "needs a judge: write a 'judge:' block, or give --judge-model"
_NEEDS_GOLDENS = "needs an eval set: write 'eval_set: FILE', or give --eval-set"

Source = Annotated[str, typer.Option("-s", "--source", help="all, or the name of one source")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs")]
Offline = Annotated[bool, typer.Option("--offline", help="Use only what was fetched before")]

app = typer.Typer(
    help="Write, find and configure evaluators.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
app.command()(uipath_class_commands.add)
app.command()(uipath_class_commands.register)
app.command()(trust_command.trust)


@app.command()
def init(
    name: Annotated[
        str,
        typer.Argument(
            help="The name of the evaluator; an extension such as .ts sets the language"
        ),
    ],
    runtime: Annotated[
        str | None,
        typer.Option(
            "-r",
            "--runtime",
            help=f"One of {', '.join(evaluator_scaffold.RUNTIMES)}",
            autocompletion=complete(evaluator_scaffold.RUNTIMES),
        ),
    ] = None,
    output_dir: Annotated[
        Path, typer.Option("-o", "--output-dir", help="The folder in which to make its folder")
    ] = Path(),
) -> None:
    """Write a working evaluator, for you to change.

    Examples:

      agentevals evaluator init politeness

      agentevals evaluator init politeness --runtime js -o evaluators

      agentevals evaluator init politeness.ts
    """
    made = evaluator_scaffold.write(name, runtime, output_dir)
    for written in (made.program, made.manifest, *made.others):
        print(f"wrote {written}")
    print(f"\ntry it:    {made.trial}")
    print(f"check it:  agentevals registry validate {made.manifest.parent}")
    print(f"use it:    agentevals evaluator config {made.program.stem} --path {made.program}")
    if why := evaluator_names.find_objection(made.program.stem):
        again = "init it under another name before you publish it"
        print(f"agentevals: no registry takes this name: {why}; {again}", file=sys.stderr)


@app.command(name="list")
def list_evaluators(
    source: Source = "all", as_json: AsJson = False, offline: Offline = False
) -> None:
    """List all evaluators with their sources.

    Examples:

      agentevals evaluator list

      agentevals evaluator list --source builtin

      agentevals evaluator list --source github --json
    """
    stderr.begin(offline=offline)
    _show(evaluator_lists.list_evaluators(source), as_json=as_json)


@app.command()
def search(
    words: Annotated[
        list[str], typer.Argument(metavar="WORD...", help="Words that must all occur")
    ],
    source: Source = "all",
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Find evaluators by words in their names, descriptions and tags.

    Examples:

      agentevals evaluator search json

      agentevals evaluator search tool order --source github
    """
    stderr.begin(offline=offline)
    _show(
        evaluator_lists.filter_by_words(words, evaluator_lists.list_evaluators(source)),
        as_json=as_json,
    )


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A name from `evaluator list`")],
    source: Source = "all",
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Show the description, settings and rights of one evaluator.

    Examples:

      agentevals evaluator show response_quality

      agentevals evaluator show response_quality --source github --json
    """
    stderr.begin(offline=offline)
    shown = evaluator_lists.find_one(name, source)
    if as_json:
        print(json.dumps(evaluator_lists.build_details(shown), indent=2))
        return
    for row in evaluator_lists.describe(shown):
        sys.stdout.write(row)
    print(f"\nuse it:  agentevals evaluator config {shlex.quote(plain(shown.info.name))}")


@app.command()
def config(
    name: Annotated[
        str,
        typer.Argument(
            help="A name from `evaluator list`, or any name with --path",
            autocompletion=complete(BUILTINS),
        ),
    ],
    path: Annotated[
        Path | None, typer.Option("-p", "--path", help="The program of your own evaluator")
    ] = None,
    threshold: Annotated[
        float, typer.Option("-t", "--threshold", min=0, max=1, help="The lowest score that passes")
    ] = 0.5,
) -> None:
    """Print the config entry of an evaluator.

    Examples:

      agentevals evaluator config tool_trajectory_avg_score > eval_config.yaml

      agentevals evaluator config politeness --path evaluators/politeness/politeness.py
    """
    entry = _write_entry(name, path) | {"threshold": threshold}
    for need in _describe_needs(entry):
        print(f"# {need}")
    print(yaml.safe_dump({"evaluators": [entry]}, sort_keys=False, allow_unicode=True), end="")


@app.command()
def runtimes() -> None:
    """Show which languages and executors can run on this machine."""
    print("Runtimes:")
    for runtime in get_runtimes():
        extensions = " ".join(runtime.extensions) or "#!"
        print(f"  {pad(runtime.name, 12)} {pad(extensions, 32)} {plain(runtime.describe())}")
    print(f"  {pad('Executable', 12)} {pad('any file with #! and chmod +x', 32)} available")
    print("\nExecutors:")
    for name in executor_names():
        print(f"  {pad(name, 12)} {_describe_executor(name)}")


def _show(found: Iterable[EvaluatorInfo], *, as_json: bool) -> None:
    infos = list(found)
    if as_json:
        print(json.dumps([asdict(info) for info in infos], indent=2))
        return
    columns = get_terminal_size((_WITHOUT_TERMINAL, 0)).columns
    for row in evaluator_lists.format_table(infos, columns if sys.stdout.isatty() else sys.maxsize):
        sys.stdout.write(row)
    print(f"\n{len(infos)} evaluator(s) found.")


def _write_entry(name: str, path: Path | None) -> dict[str, Any]:
    if path is not None:
        return {"name": name, "type": "code", "path": _make_relative(path)}
    builtin, *others = get_sources()
    stderr.begin()
    builtins = evaluator_lists.list_reachable(builtin)
    for info in builtins:
        if info.name == name:
            return {"name": name, "type": "builtin", **EVALUATORS[name].starter}
    listed = [info for source in others for info in evaluator_lists.list_reachable(source)]
    for info in listed:
        if info.name == name and info.ref:
            entry = {"name": name, "type": "remote", "source": info.source, "ref": info.ref}
            return entry | _start_config(name, info.source)
    known = [info.name for info in (*builtins, *listed)]
    msg = f"unknown evaluator {name!r}{suggestion(name, known)}; for your own give --path"
    raise InputError(msg)


def _start_config(name: str, source: str) -> dict[str, Any]:
    """Return the settings without which an evaluator judges nothing, to be filled in."""
    shown = evaluator_lists.find_one(name, source)
    started = evaluator_settings.write_starter(shown.entry.config_schema) if shown.entry else {}
    return {"config": started} if started else {}


def _describe_needs(entry: dict[str, Any]) -> Iterator[str]:
    if entry["type"] == "builtin":
        if entry["name"] in JUDGED:
            yield _ASKS_A_JUDGE
        if GRADERS[entry["name"]].needs_expectation:
            yield _NEEDS_GOLDENS


def _make_relative(path: Path) -> str:
    if not path.is_file():
        msg = f"{path} does not exist; give the path of an evaluator's program"
        raise InputError(msg)
    return path.as_posix() if path.is_absolute() else f".{os.sep}{path}"


def _describe_executor(name: str) -> str:
    try:
        return plain(create_executor(name, Path("probe.py")).describe())
    except InputError as error:
        return plain(str(error))
