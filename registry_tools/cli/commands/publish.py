"""`agentevals registry publish`: the index of a branch, compiled and pushed to it."""

from pathlib import Path
from typing import Annotated

import typer

from agentevals.model.errors import InputError
from agentevals.text.wording import plural
from registry_tools.cli import Keyless, Root, SignKey, print_line
from registry_tools.index import repository, signing
from registry_tools.index.publish import Guard, Published, Target
from registry_tools.index.publish import publish as published


def publish(
    root: Root = Path(),
    remote: Annotated[str, typer.Option(help="Where it is pushed to")] = "origin",
    branch: Annotated[str, typer.Option(help="Which branch is compiled and pushed to")] = "main",
    share: Annotated[
        float, typer.Option(min=0, max=1, help="How much of the published index must stay")
    ] = 0.95,
    floor: Annotated[int, typer.Option(min=0, help="How many evaluators there must be")] = 1,
    allow_shrink: Annotated[
        bool, typer.Option("--allow-shrink", help="Publish whatever is lost by it")
    ] = False,
    sign_key: SignKey = None,
    keyless: Keyless = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be published, and push nothing")
    ] = False,
) -> None:
    """Compile the index from the tip of a branch, and push it there.

    Nothing of the repository is run, and no working tree is touched. When somebody else pushes at
    the same time, it is compiled anew; it is done when the branch says what its tip compiles to.

    Examples:

      agentevals registry publish

      agentevals registry publish --dry-run

      agentevals registry publish --sign-key ~/.ssh/id_ed25519

    Exit codes: 0 the branch is up to date, 1 something would be lost, 2 it cannot be compiled,
    3 the remote does not answer.
    """
    found = repository.find(root)
    if found is None:
        msg = f"{root}: this is no git repository with a commit; publish from a clone"
        raise InputError(msg)
    limits = Guard(share, floor, allow_shrink)
    signer = signing.open_signer(sign_key, keyless=keyless)
    done = published(found, Target(remote, branch), limits, dry_run=dry_run, signer=signer)
    _report(done, dry_run=dry_run)
    raise typer.Exit(1 if done.refused else 0)


def _report(done: Published, *, dry_run: bool) -> None:
    for finding in done.built.findings:
        print_line(finding.describe())
    for sentence in (*done.changes, *done.refused):
        print_line(sentence)
    print_line(_describe_end(done, dry_run=dry_run))


def _describe_end(done: Published, *, dry_run: bool) -> str:
    listed = f"{plural(len(done.built.index.evaluators), 'evaluator')}, no. {done.sequence}"
    if done.refused:
        return "nothing was published"
    if dry_run and done.changes:
        return f"would be published: {listed}"
    what = "published" if done.pushed else "up to date"
    return f"{what}: {listed}, at {done.commit[:12]}"
