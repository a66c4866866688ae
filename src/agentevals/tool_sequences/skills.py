"""Which skills an agent used: a skill is called as a tool, or its file is read."""

import re
from collections.abc import Iterable, Iterator

from agentevals import javascript
from agentevals.model import ToolCall
from agentevals.tool_sequences.steps import command_of

_FILE = re.compile(r"""(?:^|[/\\\s"'])skills[/\\]([^/\\\s"']+)[/\\]SKILL\.md""", re.IGNORECASE)
_READERS = frozenset({"open_file", "read", "read_file", "readfile", "view", "view_file"})
_PATHS = ("file_path", "path", "filePath")
_NAMES = ("skill", "name")


def used(calls: Iterable[ToolCall]) -> Iterator[str]:
    """The name of a skill for every time one was loaded. A call that failed loaded none."""
    for call in calls:
        if not call.failed:
            yield from _loaded(call)


def _loaded(call: ToolCall) -> Iterator[str]:
    tool, args = call.name.lower(), call.args or {}
    if tool == "skill":
        name = javascript.trim(javascript.text(_first(args, _NAMES)))
        if name:
            yield name
    elif tool in _READERS:
        yield from _FILE.findall(javascript.text(_first(args, _PATHS)))
    else:
        yield from _FILE.findall(command_of(call))


def _first(args: dict[str, object], keys: Iterable[str]) -> object:
    return next((args[key] for key in keys if args.get(key) is not None), "")
