"""`agentevals lock`: pin what the remote evaluators of configs are fetched as."""

from collections.abc import Iterable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from agentevals.cli import stderr
from agentevals.configs.dialects import compile_plan
from agentevals.evaluator import evaluator_lock as locks
from agentevals.evaluator.evaluator_lock import Pin, RemoteEvaluatorDef
from agentevals.evaluator.lock_updates import Change, Wish, update_lock
from agentevals.evaluator.resolver import get_default_resolver
from agentevals.graders.programs.remote import Remote
from agentevals.model.errors import InputError
from agentevals.text.terminal import line, plain

_USUAL = "eval_config.yaml"


def lock(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="CONFIG...", help=f"Configs whose evaluators to lock; by default {_USUAL}"
        ),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Look for newer versions, and remove unused entries")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if an evaluator is not locked")
    ] = False,
    accept_signer: Annotated[
        bool, typer.Option("--accept-signer", help="Accept a new signer of an index")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use only what was fetched before")
    ] = False,
) -> None:
    """Write agentevals.lock, with the commit and sha256 of the remote evaluators of configs.

    The file is beside the config. Commit it: a run then fetches exactly these bytes, and refuses
    all others.

    Examples:

      agentevals lock

      agentevals lock configs/*.yaml --update

    Exit codes: 0 all is locked; 1 an evaluator is not locked (--check); 2 something you wrote is
    wrong; 3 a service is unavailable.
    """
    stderr.begin(offline=offline)
    wanted = [found for config in configs or [_find_usual()] for found in _find_remote(config)]
    complete, wish = True, Wish(update=update, accept_signer=accept_signer)
    for path, definitions in groupby(sorted(wanted, key=_describe_place), key=_describe_place):
        work = _check if check else partial(_update, wish=wish)
        complete &= work(Path(path), list(definitions))
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


def _check(path: Path, wanted: list[RemoteEvaluatorDef]) -> bool:
    """Name what a lock does not have; whether it has everything."""
    known = locks.read(path) or locks.Lock()
    missing = [each for each in wanted if known.find(each.source, each.ref) is None]
    for each in missing:
        typer.echo(line(plain(f"{path}: {each.ref} is not locked")), nl=False)
    return not missing


def _update(path: Path, wanted: list[RemoteEvaluatorDef], wish: Wish) -> bool:
    """Bring one lock file up to date, which leaves nothing to do."""
    new, changed = update_lock(path, wanted, get_default_resolver(), wish)
    if new != locks.read(path):
        locks.write(path, new)
    for change in changed:
        typer.echo(line(plain(_describe(change))), nl=False)
    count = f"{len(new.evaluators)} locked, {len(changed)} changed"
    typer.echo(line(plain(f"{path}: {count}")), nl=False)
    return True


def _describe(change: Change) -> str:
    if change.after is None:
        return f"{change.ref}: removed, no config here uses it"
    before = f"{_write_version(change.before)} -> " if change.before else ""
    return f"{change.ref}: {before}{_write_version(change.after)} ({change.after})"


def _write_version(pin: Pin) -> str:
    return pin.version or f"sha256 {pin.sha256[:12]}"
