"""`agentevals lock`: pin what the remote evaluators of configs are fetched as."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import stderr
from agentevals.configs.dialects import compile_plan
from agentevals.evaluator import lock as locks
from agentevals.evaluator.lock import Pin, RemoteEvaluatorDef
from agentevals.evaluator.resolver import Change, get_default_resolver, update_lock
from agentevals.graders.programs.remote import Remote
from agentevals.model.errors import InputError
from agentevals.text.terminal import line, plain

_USUAL = "eval_config.yaml"


def lock(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="CONFIG...", help=f"Whose evaluators; by default {_USUAL}"),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Look for newer ones of those that are locked")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where something is not locked")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Only what was fetched before")
    ] = False,
) -> None:
    """Write agentevals.lock: commit and sha256 of the remote evaluators of configs.

    It lies beside the config and belongs into the repository: from then on a run fetches exactly
    these bytes and refuses any others.

    Examples:

      agentevals lock

      agentevals lock configs/*.yaml --update

    Exit codes: 0 everything is locked, 1 something is not (--check), 2 something you wrote is
    wrong, 3 something outside is unavailable.
    """
    stderr.begin(offline=offline)
    wanted = [found for config in configs or [_find_usual()] for found in _find_remote(config)]
    complete = True
    for path, definitions in groupby(sorted(wanted, key=_describe_place), key=_describe_place):
        complete &= _update(Path(path), list(definitions), update=update, check=check)
    if not wanted:
        print("no remote evaluators; there is nothing to lock")
    raise typer.Exit(0 if complete else 1)


def _find_usual() -> Path:
    if not Path(_USUAL).is_file():
        msg = f"there is no {_USUAL} here; name the configs to lock"
        raise InputError(msg)
    return Path(_USUAL)


def _find_remote(config: Path) -> Iterable[RemoteEvaluatorDef]:
    graders = compile_plan(config).all_graders
    return [grader.definition for grader in graders if isinstance(grader, Remote)]


def _describe_place(definition: RemoteEvaluatorDef) -> str:
    return str(definition.lock)


def _update(path: Path, wanted: list[RemoteEvaluatorDef], *, update: bool, check: bool) -> bool:
    """Bring one lock file up to date; whether nothing was left to do."""
    if check:
        known = locks.read(path) or locks.Lock()
        missing = [each for each in wanted if known.find(each.source, each.ref) is None]
        for each in missing:
            typer.echo(line(plain(f"{path}: {each.ref} is not locked")), nl=False)
        return not missing
    new, changed = update_lock(path, wanted, get_default_resolver(), update=update)
    if changed or not path.exists():
        locks.write(path, new)
    for change in changed:
        typer.echo(line(plain(_describe(change))), nl=False)
    count = f"{len(new.evaluators)} locked, {len(changed)} changed"
    typer.echo(line(plain(f"{path}: {count}")), nl=False)
    return True


def _describe(change: Change) -> str:
    before = f"{_write_version(change.before)} -> " if change.before else ""
    return f"{change.ref}: {before}{_write_version(change.after)} ({change.after})"


def _write_version(pin: Pin) -> str:
    return pin.version or f"sha256 {pin.sha256[:12]}"
