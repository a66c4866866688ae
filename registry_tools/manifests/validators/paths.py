"""Checks that a path in a manifest is a file of the manifest's own folder."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from agentevals.evaluator.manifest import PATH, WORDS
from agentevals.files.places import quote
from agentevals.model.errors import Problem


def check_path(path: str, files: Sequence[str], links: Sequence[str]) -> Problem | None:
    """Return what is wrong with a path of a folder that has these files and links."""
    said = quote(path)
    if path.startswith(("/", "\\", "~")) or path[1:2] == ":":
        message = f"{said} is not relative to the evaluator's folder"
        return Problem(message=message, fix="name a file in this folder")
    if ".." in re.split(r"[/\\]", path):
        message = f"{said} leads out of the evaluator's folder"
        return Problem(message=message, fix="copy the file into this folder")
    if any(path == link or path.startswith(f"{link}/") for link in links):
        return Problem(message=f"{said} is a symbolic link", fix="copy the file into this folder")
    if path not in files:
        return _describe_missing(path, files)
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
    known = [file for file in files if file != "evaluator.yaml"]
    return f"name one of {', '.join(known[:5])}" if known else "add the file"
