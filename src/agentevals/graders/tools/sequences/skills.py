"""Which skills an agent used: a skill is called as a tool, or its file is read."""

import re
from collections.abc import Iterable, Iterator

from agentevals.graders import javascript
from agentevals.graders.tools.sequences.steps import read_argument, read_command
from agentevals.model.conversations import ToolCall

_FILE = re.compile(r"""(?:^|[/\\\s"'])skills[/\\]([^/\\\s"']+)[/\\]SKILL\.md""", re.IGNORECASE)
_READERS = frozenset({"open_file", "read", "read_file", "readfile", "view", "view_file"})
_PATHS = ("file_path", "path", "filePath")
_NAMES = ("skill", "name")


def find_skills(calls: Iterable[ToolCall]) -> Iterator[str]:
    """The name of a skill for every time one was loaded. A call that failed loaded none."""
    for call in calls:
        if not call.failed:
            yield from _read_skills(call)


def _read_skills(call: ToolCall) -> Iterator[str]:
    tool = call.name.lower()
    if tool == "skill":
        if name := javascript.trim(read_argument(call, *_NAMES)):
            yield name
    elif tool in _READERS:
        yield from _FILE.findall(read_argument(call, *_PATHS))
    else:
        yield from _FILE.findall(read_command(call))
