"""`agentevals evaluator`: write evaluators, list them, and put them into a config."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, Any

import typer
import yaml

from agentevals.cli.completion import among
from agentevals.custom_evaluators import create_executor, executor_names, get_runtimes
from agentevals.errors import InputError, UnavailableError
from agentevals.evaluator import scaffold
from agentevals.evaluator.builtins import STARTERS
from agentevals.evaluator.sources import EvaluatorInfo, EvaluatorSource, get_sources
from agentevals.graders import BUILTINS, GRADERS, JUDGED
from agentevals.presentation.terminal import line, pad, plain, width
from agentevals.seams import suggestion

_WITHOUT_TERMINAL = 120  # columns
_ASKS_A_JUDGE = "needs a judge: write a 'judge:' block, or give --judge-model"
_NEEDS_GOLDENS = "needs an eval set: write 'eval_set: FILE', or give --eval-set"

app = typer.Typer(
    help="Write, list and configure evaluators.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="Its name; an extension says the language")],
    runtime: Annotated[
        str | None,
        typer.Option(
            "-r",
            "--runtime",
            help=f"One of {', '.join(scaffold.RUNTIMES)}",
            autocompletion=among(scaffold.RUNTIMES),
        ),
    ] = None,
    output_dir: Annotated[
        Path, typer.Option("-o", "--output-dir", help="Where its folder is made")
    ] = Path(),
) -> None:
    """Write an evaluator that works as it stands, for you to change.

    Examples:

      agentevals evaluator init politeness

      agentevals evaluator init politeness --runtime js -o evaluators

      agentevals evaluator init politeness.ts
    """
    made = scaffold.write(name, runtime, output_dir)
    print(f"wrote {made.program}\nwrote {made.manifest}\n\ntry it:  {made.trial}")
    print(f"use it:  agentevals evaluator config {made.program.stem} --path {made.program}")


@app.command(name="list")
def list_evaluators(
    source: Annotated[
        str, typer.Option("-s", "--source", help="all, or the name of one source")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="For programs")] = False,
) -> None:
    """Show which evaluators there are, and where.

    Examples:

      agentevals evaluator list

      agentevals evaluator list --source builtin

      agentevals evaluator list --source github --json
    """
    found = sorted(_listed(source), key=lambda info: (info.source, info.name))
    if as_json:
        print(json.dumps([asdict(info) for info in found], indent=2))
        return
    columns = get_terminal_size((_WITHOUT_TERMINAL, 0)).columns
    for row in _table(found, columns if sys.stdout.isatty() else sys.maxsize):
        sys.stdout.write(row)
    print(f"\n{len(found)} evaluator(s) found.")


@app.command()
def config(
    name: Annotated[
        str,
        typer.Argument(
            help="A name from `evaluator list`, or any with --path", autocompletion=among(BUILTINS)
        ),
    ],
    path: Annotated[
        Path | None, typer.Option("-p", "--path", help="Your own evaluator's program")
    ] = None,
    threshold: Annotated[
        float, typer.Option("-t", "--threshold", min=0, max=1, help="The score that passes")
    ] = 0.5,
) -> None:
    """Print what to write into a config to use an evaluator.

    Examples:

      agentevals evaluator config tool_trajectory_avg_score > eval_config.yaml

      agentevals evaluator config politeness --path evaluators/politeness/politeness.py
    """
    entry = _entry(name, path) | {"threshold": threshold}
    for need in _needs(entry):
        print(f"# {need}")
    print(yaml.safe_dump({"evaluators": [entry]}, sort_keys=False, allow_unicode=True), end="")


@app.command()
def runtimes() -> None:
    """Show which languages and executors can run evaluators here."""
    print("Runtimes:")
    for runtime in get_runtimes():
        extensions = " ".join(runtime.extensions) or "#!"
        print(f"  {pad(runtime.name, 12)} {pad(extensions, 32)} {plain(runtime.describe())}")
    print(f"  {pad('Executable', 12)} {pad('any file with #! and chmod +x', 32)} available")
    print("\nExecutors:")
    for name in executor_names():
        print(f"  {pad(name, 12)} {_executor_state(name)}")


def _listed(wanted: str) -> list[EvaluatorInfo]:
    sources = {source.source_name: source for source in get_sources()}
    if wanted == "all":
        return [info for source in sources.values() for info in _reachable(source)]
    if wanted not in sources:
        msg = f"unknown source {wanted!r}{suggestion(wanted, ['all', *sources])}"
        raise InputError(msg)
    return _given_by(sources[wanted])


def _given_by(source: EvaluatorSource) -> list[EvaluatorInfo]:
    """Sources are other people's code, and may still be without one."""
    given: object = asyncio.run(source.list_evaluators())
    if not isinstance(given, list):
        what = f"gave {type(given).__name__}, not a list of evaluators; correct list_evaluators"
        msg = f"source {source.source_name!r} {what}"
        raise InputError(msg)
    return given


def _reachable(source: EvaluatorSource) -> list[EvaluatorInfo]:
    """One source that does not answer must not hide the others."""
    try:
        return _given_by(source)
    except InputError as error:
        print(f"agentevals: warning: {error}", file=sys.stderr)
        return []
    except UnavailableError as error:
        print(f"agentevals: warning: source {source.source_name!r}: {error}", file=sys.stderr)
        return []


def _table(found: list[EvaluatorInfo], columns: int) -> Iterator[str]:
    rows = [("NAME", "SOURCE", "UPDATED", "DESCRIPTION"), *map(_row, found)]
    used = [max(width(row[column]) for row in rows) for column in range(3)]
    for *cells, description in rows:
        start = "  ".join(pad(cell, used[at]) for at, cell in enumerate(cells) if used[at])
        left = max(10, columns - width(start) - 2)
        yield line(f"{start}  {pad(description, min(left, width(description)))}")


def _row(info: EvaluatorInfo) -> tuple[str, str, str, str]:
    language = f" [{info.language}]" if info.language else ""
    updated = (info.last_updated or "")[:10]
    cells = (info.name, info.source, updated, f"{info.description}{language}")
    name, source, updated, description = map(plain, cells)
    return name, source, updated, description


def _entry(name: str, path: Path | None) -> dict[str, Any]:
    if path is not None:
        return {"name": name, "type": "code", "path": _relative(path)}
    builtin, *others = get_sources()
    builtins = _reachable(builtin)
    for info in builtins:
        if info.name == name:
            return {"name": name, "type": "builtin", **STARTERS.get(name, {})}
    listed = [info for source in others for info in _reachable(source)]
    for info in listed:
        if info.name == name and info.ref:
            return {"name": name, "type": "remote", "source": info.source, "ref": info.ref}
    known = [info.name for info in (*builtins, *listed)]
    msg = f"unknown evaluator {name!r}{suggestion(name, known)}; for your own give --path"
    raise InputError(msg)


def _needs(entry: dict[str, Any]) -> Iterator[str]:
    if entry["type"] == "builtin":
        if entry["name"] in JUDGED:
            yield _ASKS_A_JUDGE
        if GRADERS[entry["name"]].needs_expectation:
            yield _NEEDS_GOLDENS


def _relative(path: Path) -> str:
    if not path.is_file():
        msg = f"{path} does not exist; give the path of an evaluator's program"
        raise InputError(msg)
    return path.as_posix() if path.is_absolute() else f".{os.sep}{path}"


def _executor_state(name: str) -> str:
    try:
        create_executor(name, Path("probe.py"))
    except InputError as error:
        return plain(str(error))
    return "available"
