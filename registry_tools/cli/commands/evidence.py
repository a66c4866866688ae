"""`agentevals registry evidence`: how well evaluators judge examples that people labelled."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from agentevals.files import atomic
from agentevals.model.errors import InputError
from registry_tools.cli import print_line
from registry_tools.cli.validation import Isolation
from registry_tools.evidence import examples, measuring, page
from registry_tools.evidence.measuring import Evidence, Misjudged
from registry_tools.manifests import registry
from registry_tools.manifests.entry import Entry
from registry_tools.smoke import program

_PAGE = "README.md"
_TIMEOUT = 20.0


def evidence(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Registries or entries; default: all that is here"),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write evidence.json and the section of the page")
    ] = False,
    isolation: Annotated[
        Isolation, typer.Option(help="The least isolation of programs")
    ] = Isolation.PARTIAL,
) -> None:
    """Run evaluators on their labelled examples, and count the failures that they find.

    Examples are in examples.yaml beside the manifest, held_out.yaml has those that nobody looked
    at while the program was written. Without --write it says whether the pages are up to date.

    Examples:

      agentevals registry evidence

      agentevals registry evidence evaluators/politeness --write

    Exit codes: 0 measured, and the pages say so; 1 a page says something else; 2 it cannot be
    measured.
    """
    where = registry.find(paths or [Path()])
    found = registry.read(where.root, where.names, where.folder)
    chosen = [one for one in found.chosen if one.manifest and examples.FILE in one.files]
    if not chosen:
        msg = f"no evaluator here has a file {examples.FILE}; write one beside its manifest"
        raise InputError(msg)
    if why := program.find_objection(isolation.value):
        raise InputError(why)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        stale = [_measure(one, pool, isolation.value, write=write) for one in chosen]
    raise typer.Exit(1 if any(stale) else 0)


def _measure(entry: Entry, pool: ThreadPoolExecutor, level: str, *, write: bool) -> bool:
    """Measure one evaluator, print what was found, and return whether its page is out of date."""
    with program.open_program(entry, program.Grants(), level=level, timeout=_TIMEOUT) as opened:
        made, wrong = measuring.measure(
            entry, lambda message: opened.run(message.model_dump_json().encode()), pool
        )
    _describe(entry, made, wrong)
    stale = _list_stale(entry, made)
    if write:
        for file, content in stale.items():
            atomic.write(entry.home / file, content)
        return False
    for file in stale:
        print_line(f"{entry.folder}/{file} is out of date: run with --write")
    return bool(stale)


def _describe(entry: Entry, made: Evidence, wrong: list[Misjudged]) -> None:
    for one in made.sets:
        reported = one.found + one.false_alarms
        print_line(
            f"{entry.name} {one.file}: found {page.write_share(one.found, one.failures)}, "
            f"right {page.write_share(one.found, reported)}, "
            f"{one.right} of {one.examples} as labelled"
        )
    for misjudged in wrong:
        print_line(str(misjudged))


def _list_stale(entry: Entry, made: Evidence) -> dict[str, bytes]:
    """Return the files that say something else, with what they must say."""
    encoded = msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"
    wanted = {measuring.FILE: encoded}
    if _PAGE in entry.files:
        text = entry.read_bytes(_PAGE, 1 << 20).decode()
        wanted[_PAGE] = page.replace_section(text, page.write_section(made)).encode()
    return {
        file: content
        for file, content in wanted.items()
        if file not in entry.files or entry.read_bytes(file, 1 << 20) != content
    }
