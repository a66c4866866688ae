"""`agentevals registry index`: the index that lists and clients read, compiled from folders."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.files.named_files import pause_garbage_collection
from agentevals.model.errors import InputError
from agentevals.text.terminal import line, plain
from agentevals.text.wording import plural
from registry_tools.cli import Keyless, Root, SignKey, print_line
from registry_tools.index import index_build, index_signing, index_staleness
from registry_tools.index.index_build import Built
from registry_tools.index.index_serialise import JSON, YAML


def index(
    root: Root = Path(),
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help=("The folder for the index, or one .json or .yaml file; default: the root"),
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if the files are old")
    ] = False,
    sign_key: SignKey = None,
    keyless: Keyless = False,
) -> None:
    """Compile the index of a registry from its newest commit.

    The same commit gives the same bytes on every machine. The files are index.yaml, index.json,
    head.json, and parts of the index in e/ and index/.

    Examples:

      agentevals registry index

      agentevals registry index --output site/

      agentevals registry index --check

    Exit codes: 0 written, or up to date; 1 a file is old; 2 it cannot be compiled.
    """
    with pause_garbage_collection(for_good=True):
        made = index_build.build_index(
            root, signer=index_signing.open_signer(sign_key, keyless=keyless)
        )
    for finding in made.findings:
        sys.stderr.write(line(f"agentevals: {plain(finding.describe())}"))
    target = output or root
    files = _place_files(made, target)
    if check:
        raise typer.Exit(_check(files, made))
    index_staleness.write(files)
    shown = ", ".join(str(path) for path in files if path.parent.name not in index_staleness.NAMES)
    print_line(f"{plural(len(made.index.evaluators), 'evaluator')} listed in {shown}")


def _place_files(made: Built, target: Path) -> dict[Path, bytes | None]:
    """Return the path of each file; None as content for files to remove."""
    if target.is_dir() or not target.suffix:
        stale = index_staleness.find_leftovers(target, made.files)
        return {target / name: content for name, content in made.files.items()} | stale
    if target.suffix not in {".json", ".yaml", ".yml"}:
        msg = f"{target}: the name of an index ends in .json or .yaml; or name a folder"
        raise InputError(msg)
    return {target: made.files[JSON if target.suffix == ".json" else YAML]}


def _check(files: dict[Path, bytes | None], made: Built) -> int:
    differing = index_staleness.find_differing(files)
    for sentence in index_staleness.explain(differing, made.index):
        print_line(sentence)
    if not differing:
        print_line(f"up to date: {plural(len(made.index.evaluators), 'evaluator')} listed")
        return 0
    print_line("the index is stale: run agentevals registry index")
    return 1
