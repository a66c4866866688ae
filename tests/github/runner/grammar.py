"""What GitHub's runner takes for a command in a line of a log, in either of its two grammars."""

import re
from typing import NamedTuple

KNOWN = frozenset(
    {
        *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group"),
        *("internal-set-repo-path", "notice", "remove-matcher", "save-state", "set-env"),
        *("set-output", "stop-commands", "warning"),
    }
)
# what .NET's TrimStart takes away
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


class Command(NamedTuple):
    """One command as the runner understands it."""

    name: str
    properties: dict[str, str]
    data: str


def commands(log: str) -> list[Command]:
    """Every command in what a process wrote, line by line as .NET reads lines."""
    found = (_new(line) or _old(line) for line in _LINE_ENDS.split(log))
    return [command for command in found if command]


def _new(line: str) -> Command | None:
    """`::name key=value,key=value::data` at the begin of a line."""
    line = line.lstrip(_SPACES)
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, properties = _told(line[2:end], ",", _PROPERTY)
    data = _unescaped(line[end + 2 :], _DATA)
    return Command(name, properties, data) if name.lower() in KNOWN else None


def _old(line: str) -> Command | None:
    """`##[name key=value;]data` anywhere in a line."""
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, properties = _told(line[start + 3 : end], ";", _OLD)
    data = _unescaped(line[end + 1 :], _OLD)
    return Command(name, properties, data) if name.lower() in KNOWN else None


_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
_OLD = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))

Escapes = tuple[tuple[str, str], ...]


def _told(text: str, between: str, escapes: Escapes) -> tuple[str, dict[str, str]]:
    name, _, rest = text.partition(" ")
    pairs = (part.partition("=") for part in rest.strip().split(between))
    return name, {key: _unescaped(value, escapes) for key, _, value in pairs if key and value}


def _unescaped(text: str, escapes: Escapes) -> str:
    for written, meant in escapes:
        text = text.replace(written, meant)
    return text
