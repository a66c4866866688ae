"""`agentevals registry new`: a new evaluator that works, beside the others."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli.lazy_commands import complete
from agentevals.evaluator import evaluator_scaffold
from agentevals.model.errors import InputError
from agentevals.model.results import Severity
from registry_tools import rules
from registry_tools.manifests import registry_folder
from registry_tools.manifests.registry_finding import Finding
from registry_tools.manifests.registry_folder import FOLDER


def new(
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
    root: Annotated[
        Path, typer.Option(help="The folder of the registry, which contains evaluators/")
    ] = Path(),
) -> None:
    """Write a new evaluator into a registry, with all files that it needs.

    Examples:

      agentevals registry new politeness

      agentevals registry new politeness.ts --root ../registry
    """
    home = registry_folder.find([root])
    made = evaluator_scaffold.write(name, runtime, home.root / FOLDER)
    written, folder = (made.program, made.manifest, *made.others), made.manifest.parent
    found = rules.check_registry(registry_folder.read(home.root, {folder.name}))
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    if errors:
        _remove(written, folder)
        raise InputError(f"{name!r} was not written: " + "; ".join(map(_describe, errors)))
    for finding in found:
        sys.stderr.write(f"agentevals: {finding.severity.value}: {_describe(finding)}\n")
    for path in written:
        sys.stdout.write(f"wrote {path}\n")
    sys.stdout.write(f"\ntry it:    {made.trial}\n")
    sys.stdout.write(f"check it:  agentevals registry validate {folder}\n")


def _remove(written: tuple[Path, ...], folder: Path) -> None:
    for path in written:
        path.unlink()
    with suppress(OSError):  # somebody had files there already
        folder.rmdir()


def _describe(finding: Finding) -> str:
    return f"{finding.message} ({finding.fix})" if finding.fix else finding.message
