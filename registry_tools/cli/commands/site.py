"""`agentevals registry site`: static pages of the index, for people."""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from agentevals.files import atomic_files
from agentevals.files.named_files import pause_garbage_collection
from agentevals.model.errors import InputError
from agentevals.text.terminal import line, plain
from agentevals.text.wording import plural
from registry_tools.cli import Root, print_line
from registry_tools.index import index_build
from registry_tools.manifests.registry_folder import FOLDER
from registry_tools.site import build_site
from registry_tools.site.site_markup import GENERATOR

_REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}")


def site(
    root: Root = Path(),
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder for the pages")] = Path(
        "site"
    ),
    title: Annotated[str, typer.Option(help="The name of the registry")] = "Evaluators",
    repository: Annotated[
        str,
        typer.Option(
            metavar="OWNER/NAME", help="The repository of the registry on GitHub, owner/name"
        ),
    ] = "",
) -> None:
    """Write a web site: a list with search and tags, and a page for each evaluator.

    The pages work without JavaScript, and load nothing from other sites.

    Examples:

      agentevals registry site

      agentevals registry site --output public --repository octo-org/evaluators

    Exit codes: 0 written; 2 it cannot be compiled.
    """
    if repository and not _REPOSITORY.fullmatch(repository):
        msg = f"--repository: {repository!r} is not OWNER/NAME"
        raise InputError(msg)
    if (output / FOLDER).exists():
        msg = f"{output} is a registry; name a folder of its own with --output"
        raise InputError(msg)
    with pause_garbage_collection(for_good=True):
        made = index_build.build_index(root)
        files = build_site(made.index, root, title, repository)
    for finding in made.findings:
        sys.stderr.write(line(f"agentevals: {plain(finding.describe())}"))
    for name, content in files.items():
        target = output / name
        target.parent.mkdir(parents=True, exist_ok=True)
        atomic_files.write(target, content)
    gone = _remove_stale(output, set(files))
    removed = f", {plural(gone, 'old page')} removed" if gone else ""
    print_line(f"{plural(len(files), 'file')} written into {output}{removed}")


def _remove_stale(output: Path, written: set[str]) -> int:
    """Remove pages of an earlier run, and no file that somebody else wrote."""
    count = 0
    for path in sorted((*output.glob("pages/*.html"), *output.glob("tags/*.html"))):
        stale = path.relative_to(output).as_posix() not in written and not path.is_symlink()
        if stale and GENERATOR.encode() in path.read_bytes()[:2_000]:
            path.unlink()
            count += 1
    return count
