"""Paths of a project: globs that users write, in folders, and the folder they must not leave.

A path is a literal name, which may look like a glob. A pattern is text, in which a literal `*`, `?`
or `[` is in brackets.
"""

import os
import re
import stat
from glob import escape
from pathlib import Path

_ESCAPED = re.compile(r"\[([*?[])\]")
_HISTORY = ".git"
_OF_MACHINE = ((), ("dev",))
_FOR_EVERYBODY = stat.S_IWOTH | stat.S_ISVTX


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


def find_project(folder: Path) -> Path:
    """Return the repository that a folder lies in; without one, the working directory around it.

    A home holds more than one project, and so does /tmp. Where only such a folder is left, the
    project is the given folder itself.
    """
    start = folder.resolve()
    lineage = (start, *start.parents)
    here = Path.cwd().resolve()
    repository = next((place for place in lineage if os.path.lexists(place / _HISTORY)), None)
    found = repository or (here if here in lineage else start)
    return start if found != start and holds_projects(found) else found


def leads_out(path: Path) -> bool:
    """Return whether the first link on the way to a file leads out of the project that it lies in.

    Links of the machine, such as /tmp on macOS and /dev/stdin, lead where the machine says.
    """
    way = (*reversed(path.absolute().parents), path.absolute())
    links = (
        place for place in way if place.is_symlink() and place.parts[1:-1][:1] not in _OF_MACHINE
    )
    first = next(links, None)
    return first is not None and not path.resolve().is_relative_to(find_project(first.parent))


def holds_projects(folder: Path) -> bool:
    """Return whether a folder is the root, holds a home, or is for everybody, as /tmp is."""
    if folder == Path(folder.anchor):
        return True
    try:
        if folder.stat().st_mode & _FOR_EVERYBODY == _FOR_EVERYBODY:
            return True
        return Path.home().resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # there is no such folder, or nobody knows where the home is
        return False
