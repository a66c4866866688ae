"""`requirements`: every package is pinned and has a hash, and none comes from elsewhere."""

import re
from collections.abc import Iterator

from agentevals.files.document_places import quote
from agentevals.model.errors import Edit, Extent, Problem
from agentevals.model.results import Severity
from registry_tools.manifests import manifest_paths
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_warning
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="requirements",
    severity=Severity.ERROR,
    title="Requirements have exact versions with hashes, and nothing else",
    why=(
        "Users must install exactly the reviewed packages. An option, a URL or a "
        "path in this file can make a machine use packages from another place. "
        "`uv pip compile --generate-hashes` writes such a file. With a manifest "
        "of agentevals-cli's six keys, it is a warning."
    ),
    bad="--extra-index-url https://packages.example.com/simple\nregex>=2024",
    good="regex==2024.11.6 \\\n    --hash=sha256:"
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    mends="names the file in the manifest",
)
_USUAL = "requirements.txt"
_LARGEST = 1 << 20
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


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    path = entry.get_text("requirements")
    if path:
        if wrong := manifest_paths.report_path(entry, RULE, "requirements"):
            yield wrong
            return
    elif _USUAL in entry.files:
        path = _USUAL
        if not entry.is_legacy and not entry.document.problems:
            yield _blame_missing_key(entry)
    else:
        return
    for found in _check_lock(entry, path):
        yield make_warning(found) if entry.is_legacy else found


def _blame_missing_key(entry: Entry) -> Finding:
    message = f"{_USUAL} is in the folder, but the manifest does not name it"
    end = len(entry.document.text)
    gap = "" if entry.document.text.endswith("\n") else "\n"
    edit = Edit(end, end, f"{gap}requirements: {_USUAL}\n")
    return entry.report(RULE, message, fix=f"add 'requirements: {_USUAL}'", edit=edit)


def _check_lock(entry: Entry, path: str) -> Iterator[Finding]:
    try:
        text = entry.read_bytes(path, _LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        yield entry.report_in(path, RULE, "the file is not UTF-8 text", fix="write it anew")
        return
    for problem in find_problems(text):
        yield entry.report_in(path, RULE, problem.message, problem.at, fix=problem.fix)


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
