"""Whether a path that a manifest names is a file of its own folder."""

import re
from difflib import get_close_matches

from agentevals.evaluator.manifest import PATH, WORDS
from agentevals.files.places import quoted
from registry_tools.manifests.entry import Entry


def objection(entry: Entry, path: str) -> tuple[str, str]:
    """What is wrong with a path, and what to do about it; two empty texts where nothing is."""
    said = quoted(path)
    if path.startswith(("/", "\\", "~")) or path[1:2] == ":":
        return f"{said} is not relative to the evaluator's folder", "name a file in this folder"
    if ".." in re.split(r"[/\\]", path):
        return f"{said} leads out of the evaluator's folder", "copy the file into this folder"
    if any(path == link or path.startswith(f"{link}/") for link in entry.links):
        return f"{said} is a symbolic link", "copy the file into this folder"
    return _missing(entry, path)


def _missing(entry: Entry, path: str) -> tuple[str, str]:
    said = quoted(path)
    if path in entry.files:
        fits = re.match(PATH, path)
        wrong = f"{said} is a name that not every system can have", f"use {WORDS[PATH]}"
        return ("", "") if fits else wrong
    if path.strip("./") == "" or any(file.startswith(f"{path}/") for file in entry.files):
        return f"{said} is a folder", "name a file in it"
    return f"{said} does not exist", _nearest(path, entry.files)


def _nearest(path: str, files: tuple[str, ...]) -> str:
    near = get_close_matches(path, files, n=1)
    if near:
        return f"did you mean {quoted(near[0])}?"
    known = [file for file in files if file != "evaluator.yaml"]
    return f"name one of {', '.join(known[:5])}" if known else "add the file"
