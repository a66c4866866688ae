"""What a program that failed may have lacked: the keys of a config that would grant it.

Its last words tell what it missed first; its text tells what it would have missed next.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentevals.sandbox.closed_paths import is_closed
from agentevals.sandbox.program_rights import Rights, is_reserved

_LARGEST = 1 << 20  # of a program that is looked into
_LOOKED_AT = 200  # texts of a program that may be the names of files
_MOST = 8  # names that are told of each kind

_VARIABLES = re.compile(
    r"""environ(?:\.get\(|\.pop\(|\[)\s*['"](\w+)['"]|getenv\(\s*['"](\w+)['"]"""
    r"""|process\.env\.(\w+)|process\.env\[\s*['"](\w+)['"]"""
)
_TEXTS = re.compile(r"""(['"`])([^'"`\n\\{}]{1,200})\1""")
_ADDRESS = re.compile(r"(https?)://([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::(\d{1,5}))?")
_PORTS = {"http": 80, "https": 443}

_NO_KEY = re.compile(r"^KeyError: ['\"](\w+)['\"]", re.MULTILINE)
_NO_JUDGE = re.compile(
    r"KeyError: ['\"](?:AGENTEVALS_JUDGE|AGENTV_TARGET_PROXY)_|AGENTEVALS_JUDGE_URL is not set"
)
_NO_FILE = re.compile(
    r"(?:No such file or directory|Permission denied): ['\"]([^'\"\n]+)['\"]"
    r"|(?:ENOENT|EACCES): [^\n]*?, \w+ '([^'\n]+)'"
)
_NO_NETWORK = re.compile(
    r"name resolution|EAI_AGAIN|NameResolutionError|NewConnectionError|ProxyError|connect EPERM"
    r"|urlopen error|fetch failed|ClientConnector|ConnectError|is not granted to this evaluator"
    r"|APIConnectionError|in create_connection|in _create_connection|socket\.py\", line \d+, in"
)
_HOSTS = re.compile(
    r"host='([^'\s]+)', port=(\d+)|EAI_AGAIN ([A-Za-z0-9.-]+)"
    r"|Cannot connect to host ([^\s:]+):(\d+)"
)
_NO_PROCESS = re.compile(
    r"_fork_exec|in _execute_child|os\.fork\(\)|os\.posix_spawn|\bspawn\w* \S*\s*EPERM|spawn EPERM"
)
_NO_PACKAGE = re.compile(r"No module named ['\"]([\w.]+)['\"]|Cannot find package '([^'\n]+)'")
_REFUSED = re.compile(r"not permitted|EPERM")
_LIST_IT = (
    "List it in a requirements.txt beside the evaluator; for JavaScript, install it beside it"
)
_IN_SCRATCH = (
    "It works in a scratch folder: open what lies beside it by its own path, such as `__file__`"
)


def write_first_line(said: str, programs: Iterable[Path], rights: Rights) -> str:
    """Return what a program raised and what would grant what it missed; or nothing."""
    hint = explain(said, programs, rights)
    if not hint:
        return ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"{_find_raised(lines).rstrip('.')}. {hint}"


def _find_raised(lines: Sequence[str]) -> str:
    """Return the line of an error: before the calls in JavaScript, and the last one elsewhere."""
    first = next((at for at, line in enumerate(lines) if line.startswith("at ")), 0)
    return lines[first - 1]


def explain(said: str, programs: Iterable[Path], rights: Rights) -> str:
    """Return the keys which would grant what was missed, as a sentence; or nothing."""
    missed = _Missed(said, "\n".join(map(_read, programs)), rights)
    keys = list(missed.list_keys())
    if keys:
        shown = " and ".join(f"`{key}`" for key in keys)
        return f"Add {shown} to this evaluator to grant it"
    if _NO_PACKAGE.search(said) and "requirements.txt" not in said:  # it is said already
        return _LIST_IT
    return _IN_SCRATCH if _NO_FILE.search(said) else ""


@dataclass(frozen=True)
class _Missed:
    """Finds what a program missed: by what it `said` at its end, its own text, and its rights."""

    said: str
    text: str
    rights: Rights

    def list_keys(self) -> Iterator[str]:
        """Yield the keys for what it missed; then it would have missed more of its text."""
        variables, files = list(self._find_variables()), list(self._find_files())
        others = list(self._list_others())
        if not (variables or files or others):
            return
        read = [name for name in _list_read(self.text) if name in os.environ]
        variables += filter(self._lacks_variable, read)
        texts = (name for _, name in _TEXTS.findall(self.text) if "." in name or "/" in name)
        named = (_show_file(name, self.rights) for name in islice(dict.fromkeys(texts), _LOOKED_AT))
        files += filter(None, named)
        for key, names in (("env", variables), ("files", files)):
            if names:
                yield f"{key}: [{', '.join(_choose(names))}]"
        yield from others

    def _find_variables(self) -> Iterator[str]:
        """Yield the variables that it read, and whose names are in its last words."""
        raised = _NO_KEY.findall(self.said) if "environ" in self.said else []
        named = (name for name in _list_read(self.text) if name in self.said)
        yield from filter(self._lacks_variable, (*raised, *named))

    def _lacks_variable(self, name: str) -> bool:
        return name not in self.rights.env and not is_reserved(name)

    def _find_files(self) -> Iterator[str]:
        missed = ("".join(found) for found in _NO_FILE.findall(self.said))
        yield from filter(None, (_show_file(name, self.rights) for name in missed))

    def _list_others(self) -> Iterator[str]:
        said = self.said
        if _NO_JUDGE.search(said):
            yield "judge: true"
        if not self.rights.network and _NO_NETWORK.search(said):
            hosts = _choose(self._find_hosts())
            yield f"network: [{', '.join(hosts)}]" if hosts else "network: true"
        elif not self.rights.subprocess and _NO_PROCESS.search(said) and _REFUSED.search(said):
            yield "subprocess: true"

    def _find_hosts(self) -> Iterator[str]:
        """Yield the hosts that it asked for, or else those that its text names."""
        if self.rights.refused:
            yield from (host for host in self.rights.refused if host[-1].isdigit())
            return
        for one, port, name, third, its in _HOSTS.findall(self.said):
            yield f"{one or name or third}:{port or its or _PORTS['https']}"
        for scheme, host, port in _ADDRESS.findall(self.text):
            yield f"{host}:{port or _PORTS[scheme]}"


def _list_read(text: str) -> list[str]:
    return ["".join(found) for found in _VARIABLES.findall(text)]


def _show_file(name: str, rights: Rights) -> str:
    """Return a path as a config may grant it; nothing for what is none, or is granted already."""
    here = Path.cwd()
    try:
        path = here / name
        inside = path.resolve().is_relative_to(here.resolve()) and path.is_file()
    except (OSError, ValueError, RuntimeError):
        return ""
    granted = any(path.resolve().is_relative_to(one.resolve()) for one in rights.files)
    if not inside or granted or is_closed(Path(name)):
        return ""
    return os.path.relpath(path, here)


def _choose(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))[:_MOST]


def _read(path: Path) -> str:
    try:
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass
    return ""
