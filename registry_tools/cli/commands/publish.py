"""`agentevals registry publish`: the index of a branch, compiled and pushed to it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentevals.model.errors import InputError
from agentevals.model.plugins import Lazy
from agentevals.text.wording import plural
from registry_tools.cli import Keyless, Root, SignKey, print_line
from registry_tools.index import index_repository, index_signing
from registry_tools.index.index_branch import Branch
from registry_tools.index.index_places import BranchPlace, FolderPlace, Guard, Place, Published
from registry_tools.index.index_places import publish as published

if TYPE_CHECKING:  # it imports GitHub's API, which most places need not
    from registry_tools.index import github_index_places
else:
    github_index_places = Lazy("registry_tools.index.github_index_places")


def publish(
    root: Root = Path(),
    remote: Annotated[str, typer.Option(help="The remote to push to")] = "origin",
    branch: Annotated[str, typer.Option(help="The branch to compile")] = "main",
    to: Annotated[
        str,
        typer.Option(
            help=(
                "Where to publish the index: branch (the compiled one), branch:NAME, "
                "folder:PATH, release:TAG or pull-request"
            )
        ),
    ] = "branch",
    address: Annotated[
        str,
        typer.Option(
            help=(
                "With folder:PATH, the address of its index.json, from which to read "
                "the previous index"
            )
        ),
    ] = "",
    share: Annotated[
        float, typer.Option(min=0, max=1, help="The share of the published index that must remain")
    ] = 0.95,
    floor: Annotated[int, typer.Option(min=0, help="The lowest number of evaluators")] = 1,
    allow_shrink: Annotated[
        bool, typer.Option("--allow-shrink", help="Publish even if evaluators are lost")
    ] = False,
    sign_key: SignKey = None,
    keyless: Keyless = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be published, and push nothing")
    ] = False,
) -> None:
    """Compile the index of the newest commit of a branch, and publish it.

    The command runs no code of the repository, and changes no working tree. If somebody else
    pushes at the same time, it compiles again.

    Examples:

      agentevals registry publish

      agentevals registry publish --dry-run

      agentevals registry publish --to branch:index

      agentevals registry publish --sign-key ~/.ssh/id_ed25519

    Exit codes: 0 the index is up to date; 1 entries would be lost; 2 it cannot be compiled;
    3 the remote refuses it or does not answer.
    """
    found = index_repository.find(root)
    if found is None:
        msg = f"{root}: this is no git repository with a commit; publish from a clone"
        raise InputError(msg)
    limits = Guard(share, floor, allow_shrink)
    source = Branch(found, remote, branch)
    place, signer = (
        _find_place(source, to, address),
        index_signing.open_signer(sign_key, keyless=keyless),
    )
    done = published(source, place, limits, dry_run=dry_run, signer=signer)
    _report(done, dry_run=dry_run)
    raise typer.Exit(1 if done.refused else 0)


def _find_place(source: Branch, to: str, address: str) -> Place:
    """Return the place that somebody named, or InputError with all of them."""
    kind, _, name = to.partition(":")
    match kind, bool(name):
        case "branch", _:
            return BranchPlace(source, replace(source, name=name or source.name))
        case "folder", True:
            return FolderPlace(source, Path(name), address)
        case "release", True:
            return github_index_places.ReleasePlace(source, *github_index_places.connect(), name)
        case "pull-request", False:
            return github_index_places.PullRequestPlace(source, *github_index_places.connect())
    msg = f"--to: {to!r} is no place; use branch, branch:NAME, folder:PATH, release:TAG or "
    raise InputError(msg + "pull-request")


def _report(done: Published, *, dry_run: bool) -> None:
    for finding in done.built.findings:
        print_line(finding.describe())
    for sentence in (*done.changes, *done.refused, *filter(None, [done.note])):
        print_line(sentence)
    print_line(_describe_end(done, dry_run=dry_run))


def _describe_end(done: Published, *, dry_run: bool) -> str:
    listed = f"{plural(len(done.built.index.evaluators), 'evaluator')}, no. {done.sequence}"
    if done.refused:
        return "nothing was published"
    if dry_run and done.changes:
        return f"would be published: {listed}"
    if done.note:
        return f"proposed: {listed}"
    what = "published" if done.pushed else "up to date"
    return f"{what}: {listed}, at {done.commit[:12]}"
