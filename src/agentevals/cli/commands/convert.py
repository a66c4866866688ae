"""`agentevals convert`: an EVAL file as an eval config, and back."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.configs import dialects
from agentevals.configs.conversion import CONVERTERS, Converted, Source
from agentevals.configs.plan import Overrides
from agentevals.files import atomic_files
from agentevals.files.named_files import exists
from agentevals.model.errors import InputError
from agentevals.model.plugins import suggestion
from agentevals.text.terminal import plain

_OTHER = {"agentv": "eval-config", "agentevals": "eval-file"}
_SUFFIXES = {".yaml", ".yml"}


def convert(
    config: Annotated[Path, typer.Argument(metavar="FILE", help="EVAL file or eval config")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The folder or the config to write; default: the folder of FILE"
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help=("The kind of file to write: eval-config or eval-file; default: the other kind"),
        ),
    ] = None,
    eval_set: Annotated[
        Path | None,
        typer.Option("-e", "--eval-set", help="The eval set, instead of the one in the config"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files")] = False,
) -> None:
    """Convert an EVAL file to an eval config with an eval set, or an eval config to an EVAL file.

    The command lists parts that it could not convert on stderr.

    Examples:

      agentevals convert EVAL.yaml -o evals/

      agentevals convert eval_config.yaml --to eval-file -o EVAL.yaml

    Exit codes: 0 everything was converted; 1 a part was lost; 2 the file has mistakes.
    """
    kind = dialects.recognise(config)
    wanted = _choose_target(config, kind, to)
    folder = _choose_folder(config, output)
    plan = dialects.compile_plan(config, Overrides(eval_set=eval_set))
    made = CONVERTERS[wanted](Source(plan=plan, path=config, folder=folder))
    files = _name_files(made, folder, output)
    _refuse_overwriting(files, config, force=force)
    for path, text in files.items():
        atomic_files.write_text(path, text)
    print(f"wrote {' and '.join(plain(str(path)) for path in files)}")
    for sentence in made.lost:
        print(f"agentevals: not converted: {plain(sentence)}", file=sys.stderr)
    raise typer.Exit(1 if made.lost else 0)


def _choose_target(config: Path, kind: str, to: str | None) -> str:
    if to is not None and to not in CONVERTERS:
        msg = f"--to {to}: there is no such kind of config{suggestion(to, CONVERTERS)}"
        raise InputError(msg)
    other = _OTHER.get(kind)
    if other is None:
        msg = f"{config}: only EVAL files and eval configs are converted; this is of {kind!r}"
        raise InputError(msg)
    if to not in {None, other}:
        msg = f"{config}: this is an {to} already"
        raise InputError(msg)
    return other


def _choose_folder(config: Path, output: Path | None) -> Path:
    if output is None:
        return config.parent
    return output.parent if output.suffix.lower() in _SUFFIXES else output


def _name_files(made: Converted, folder: Path, output: Path | None) -> dict[Path, str]:
    """Return the path of each file; the user may have named the config."""
    files = {folder / name: text for name, text in made.files.items()}
    if output is None or output == folder:
        return files
    (first, text), *others = files.items()
    return {output if first.suffix in _SUFFIXES else first: text, **dict(others)}


def _refuse_overwriting(files: dict[Path, str], config: Path, *, force: bool) -> None:
    if any(exists(path) and path.samefile(config) for path in files):
        msg = f"{config}: would be overwritten by its own conversion; name another with -o"
        raise InputError(msg)
    there = [str(path) for path in files if os.path.lexists(path)]  # a link may lead nowhere
    if there and not force:
        msg = f"{' and '.join(there)}: already there; give --force to overwrite"
        raise InputError(msg)
