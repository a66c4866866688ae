"""Checks that a requirements file is a lock: exact versions with hashes, and nothing else."""

import re
from collections.abc import Iterator

from agentevals.files.places import quote
from agentevals.model.errors import Extent, Problem

_COMMENT = re.compile(r"(^|\s)#.*")
_NAME = r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"
_PIN = re.compile(
    rf"{_NAME}\s*(\[[\w., -]*\])?\s*===?\s*[A-Za-z0-9][A-Za-z0-9.!+_-]*\s*(;[^@$/\\]*?)?"
    r"(?P<hashes>(\s+--hash[= ]\S+)*)\s*"
)
_HASH = re.compile(r"--hash[= ]sha(256:[0-9a-f]{64}|384:[0-9a-f]{96}|512:[0-9a-f]{128})\b")
_LOCK = "uv pip compile --generate-hashes writes such a file"
_OPTIONS = {
    ("-i", "--index-url", "--extra-index-url", "--no-index", "-f", "--find-links"): (
        "says where packages come from", "remove it; whoever runs the evaluator decides that",
    ),
    ("--trusted-host",): ("turns off a check of the connection", "remove it"),
    ("-r", "--requirement", "-c", "--constraint"): (
        "includes another file", "write everything into one file",
    ),
    ("-e", "--editable"): ("installs a folder", "name a published package"),
}  # fmt: skip


def find_problems(text: str) -> Iterator[Problem]:
    """Yield what is wrong with which lines."""
    for line, length, said in _join_lines(text):
        message, fix = _check_line(said)
        if message:
            yield Problem(message=message, at=Extent(line, 1, line, length + 1), fix=fix)


def _join_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield lines, joined by backslashes, with the number and the length of the first of each."""
    joined, begun, length = "", 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if not joined:
            begun, length = number, len(line)
        said = line.rstrip()
        if said.endswith("\\") and not said.lstrip().startswith("#"):
            joined += f"{said[:-1]} "
            continue
        whole = _COMMENT.sub("", joined + line).strip()
        joined = ""
        if whole:
            yield begun, length, whole
    if joined.strip():
        yield begun, length, joined.strip()


def _check_line(said: str) -> tuple[str, str]:
    if said.startswith("-"):
        return _check_option(re.split(r"[=\s]", said)[0])
    return _check_address(said) or _check_pin(said)


def _check_address(said: str) -> tuple[str, str] | None:
    if re.search(r"\$\{?\w", said):
        return f"{quote(said)} depends on a variable of the machine", "write it out"
    if re.search(r"(^|@\s*)(git|hg|svn|bzr)\+|://|^(git|hg|svn|bzr)\+", said):
        return f"{quote(said)} comes from an address", "name a published package"
    if said.startswith((".", "/", "~")) or re.match(r"[^=<>;]*[/\\]", said) or "@" in said:
        return f"{quote(said)} is a file, not a package", "name a published package"
    return None


def _check_pin(said: str) -> tuple[str, str]:
    pin = _PIN.fullmatch(said)
    if pin is None:
        return f"{quote(said)} is not pinned to one version", f"write name==1.2.3; {_LOCK}"
    hashes = pin["hashes"].split("--hash")[1:]
    if not hashes or not all(_HASH.fullmatch(f"--hash{one}".strip()) for one in hashes):
        name = said.split(maxsplit=1)[0]
        return f"{quote(name)} has no hash of sha256 or better", _LOCK
    return "", ""


def _check_option(option: str) -> tuple[str, str]:
    for names, (message, fix) in _OPTIONS.items():
        if option in names or any(option.startswith(n) for n in names if len(n) == len("-i")):
            return f"{quote(option)} {message}", fix
    return f"the option {quote(option)} does not belong into a lock", "remove it"
