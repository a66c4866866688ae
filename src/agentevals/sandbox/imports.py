"""The modules that a Python script is likely to import, as a stage of preloading."""

import re
import sys
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from agentevals.sandbox.launcher.preloading import FOR_EVALUATORS, STAGES

_LIGHT = frozenset(STAGES[0]) | {
    *("__future__", "abc", "collections", "contextlib", "copy", "enum", "functools", "io"),
    *("itertools", "operator", "os", "string", "sys", "textwrap", "time"),
}
_LARGEST = 1 << 20
_STATEMENT = re.compile(r"(?:^|;)[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^\n#;]+))", re.MULTILINE)
LAST = len(STAGES) - 1


def find_stage(script: str) -> int:
    """The stage that it needs; the last one where it imports what we do not know."""
    try:
        found = Path(script).stat()
    except (OSError, ValueError):
        return 0  # it will not start
    if not S_ISREG(found.st_mode):  # to read from a pipe may take forever
        return 0
    return _stage(script, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=256)
def _stage(script: str, _changed: int, size: int) -> int:
    if size > _LARGEST:
        return LAST
    try:
        text = Path(script).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    names = set(_list_imports(text))
    if names <= _LIGHT:
        return 0
    known = names <= sys.stdlib_module_names and not names & {*FOR_EVALUATORS, "importlib"}
    return 1 if known else LAST


def _list_imports(text: str) -> list[str]:
    """The top-level names of all that is imported."""
    return [
        name.strip().partition(" ")[0].partition(".")[0]
        for one, several in _STATEMENT.findall(text)
        for name in (one or several).split(",")
    ]
