"""Types of one's own: programs in the folder `.agentv/assertions`, named after their types."""

import re
from pathlib import Path

from agentevals.configs.dialects.agentv.sheets import Sheet, find_upward
from agentevals.files import reading
from agentevals.files.places import quote
from agentevals.files.project import find_project
from agentevals.files.validation import Where

_FILE_NAME = re.compile(r"[\w][\w.-]*", re.ASCII)
_STARTED_BY = {"py": "python3", "ts": "node", "mts": "node", "js": "node", "mjs": "node"}


def find_program(sheet: Sheet, given: str, where: Where) -> tuple[str, Path] | None:
    """Return what starts the program of a type, and its file; None if there is none."""
    if not _FILE_NAME.fullmatch(given):
        return None
    for suffix, starter in _STARTED_BY.items():
        name = f".agentv/assertions/{given}.{suffix}"
        if found := find_upward(sheet.folder, name, sheet.shared.root):
            _keep_inside(sheet, given, found.absolute(), where)
            return starter, found
    return None


def _keep_inside(sheet: Sheet, given: str, program: Path, where: Where) -> None:
    """Refuse a program that the sandbox would not let anybody read."""
    project = find_project(sheet.folder)
    if not reading.contains(project, program):
        message = (
            f"the program of the type {quote(given)}, '{program}', lies outside of the project "
            f"'{project}'; run this in '{program.parents[2]}', or make that a git repository"
        )
        sheet.refuse(message, where)
