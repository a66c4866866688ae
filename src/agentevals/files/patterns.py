"""Globs that users write, joined to folders, whose names may look like globs and are none.

A path is a literal name. A pattern is text, in which a literal `*`, `?` or `[` is in brackets.
"""

import os
import re
from glob import escape
from pathlib import Path

_ESCAPED = re.compile(r"\[([*?[])\]")


def read_pattern(folder: Path, given: str) -> str:
    """Return the pattern that a text means in a folder: what exists under that name is meant.

    `*` finds a file called `*` as well, and such a file must not hide the others.
    """
    is_name = not {"*", "?"} & {*given} and os.path.lexists(folder / given)
    return escape(given) if is_name else given


def join_pattern(folder: Path, given: str) -> str:
    """Return the pattern that a text means, from a folder that is called as it is called."""
    path = folder / given
    if not path.is_relative_to(folder):
        return read_pattern(Path(), str(path))
    below = str(path.relative_to(folder))
    return str(Path(escape(str(folder)), read_pattern(folder, below)))


def split_pattern(pattern: str) -> tuple[Path, tuple[str, ...]]:
    """Return the path that a pattern begins with, and the parts below it; none for a path."""
    parts = Path(pattern).parts
    first = next((at for at, part in enumerate(parts) if not is_literal(part)), len(parts))
    return Path(*map(unescape, parts[:first])), parts[first:]


def is_literal(part: str) -> bool:
    """Return whether a pattern matches one name only."""
    return escape(unescape(part)) == part


def unescape(pattern: str) -> str:
    """Return a pattern as somebody would write it who thinks of names only."""
    return _ESCAPED.sub(r"\1", pattern)
