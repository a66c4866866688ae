"""Imports for programs in Python: done once here instead of once in every child.

What a launcher has imported makes each of its children dearer, so that it imports in stages
and goes no further than its programs need: a look into the script tells the stage.
"""

import gc
import importlib
import re
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

# what evaluators in Python are written with
FOR_EVALUATORS = (
    "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection",
    "agentevals_evaluator_sdk",
)  # fmt: skip
STAGES = (
    ("dataclasses", "datetime", "json", "math", "pathlib", "random", "re", "typing"),
    (
        *("argparse", "asyncio", "decimal", "difflib", "logging", "statistics", "subprocess"),
        "traceback",
    ),
    FOR_EVALUATORS,
)
LAST = len(STAGES) - 1
_reached = -1

_LIGHT = frozenset(STAGES[0]) | {
    *("__future__", "abc", "collections", "contextlib", "copy", "enum", "functools", "io"),
    *("itertools", "operator", "os", "string", "sys", "textwrap", "time"),
}
_LARGEST = 1 << 20  # bytes of a script that is looked into
_STATEMENT = re.compile(r"(?:^|;)[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^\n#;]+))", re.MULTILINE)


def import_stages(stage: int) -> bool:
    """Import what belongs to the stages up to this one; False if that was done before.

    What children share is not to be moved.
    """
    global _reached  # noqa: PLW0603 -- the imports of a process are global as well
    if stage <= _reached:
        return False
    for names in STAGES[_reached + 1 : stage + 1]:
        for name in names:
            with suppress(ImportError):
                importlib.import_module(name)
    _reached = stage
    gc.collect()
    gc.freeze()
    gc.disable()
    return True


def find_stage(script: str) -> int:
    """The stage that it needs; the last one where it imports what we do not know."""
    try:
        found = Path(script).stat()
    except (OSError, ValueError):
        return 0  # it will not start
    if not S_ISREG(found.st_mode):  # to read from a pipe may take forever
        return 0
    return _choose_stage(script, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=256)
def _choose_stage(script: str, _changed: int, size: int) -> int:
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
    return [
        name.strip().partition(" ")[0].partition(".")[0]
        for one, several in _STATEMENT.findall(text)
        for name in (one or several).split(",")
    ]
