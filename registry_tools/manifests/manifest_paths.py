"""A path in a manifest must be a file of the manifest's own folder."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from posixpath import normpath

from agentevals.evaluator.evaluator_manifest import PATH, WORDS
from agentevals.files.document_places import quote
from agentevals.model.errors import Problem
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule


def report_path(entry: Entry, rule: Rule, key: str) -> Finding | None:
    """Report what is wrong with the path that a manifest has under a key."""
    wrong = check_path(entry, entry.get_text(key))
    if wrong is None:
        return None
    written = entry.get_text(key)
    plain = normpath(written.replace("\\", "/"))
    if plain in entry.files and plain != written and ".." not in written:
        message = f"{key!r} {quote(written)} has more in it than the path below this folder"
        edit = entry.make_edit(plain, key)
        return entry.report(rule, message, entry.locate(key), fix=f"write {plain}", edit=edit)
    return entry.report(rule, f"{key!r} {wrong.message}", entry.locate(key), fix=wrong.fix)


def check_path(entry: Entry, path: str) -> Problem | None:
    """Return what is wrong with a path of an entry's folder."""
    said = quote(path)
    if path.startswith(("/", "\\", "~")) or path[1:2] == ":":
        message = f"{said} is not relative to the evaluator's folder"
        return Problem(message=message, fix="name a file in this folder")
    if ".." in re.split(r"[/\\]", path):
        message = f"{said} leads out of the evaluator's folder"
        return Problem(message=message, fix="copy the file into this folder")
    if any(path == link or path.startswith(f"{link}/") for link in entry.links):
        return Problem(message=f"{said} is a symbolic link", fix="copy the file into this folder")
    if path not in entry.files:
        return _describe_missing(path, entry.files)
    if re.match(PATH, path):
        return None
    message = f"{said} is a name that not every system can have"
    return Problem(message=message, fix=f"use {WORDS[PATH]}")


def _describe_missing(path: str, files: Sequence[str]) -> Problem:
    said = quote(path)
    if path.strip("./") == "" or any(file.startswith(f"{path}/") for file in files):
        return Problem(message=f"{said} is a folder", fix="name a file in it")
    return Problem(message=f"{said} does not exist", fix=_suggest(path, files))


def _suggest(path: str, files: Sequence[str]) -> str:
    near = get_close_matches(path, files, n=1)
    if near:
        return f"did you mean {quote(near[0])}?"
    ending = path.rpartition(".")[2]
    known = [file for file in files if file != "evaluator.yaml" and file.endswith(f".{ending}")]
    return f"name one of {', '.join(known[:5])}" if known else "add the file"
