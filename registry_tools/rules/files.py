"""`files`: a folder holds what people wrote and can review, and nothing that is run by accident."""

import re
from collections.abc import Iterable, Iterator, Mapping

from agentevals.evaluator.evaluator_files import (
    MOST_BYTES,
    find_problem,
    find_unreviewable,
    is_compiled,
)
from agentevals.evaluator.evaluator_manifest import FILE as MANIFEST
from agentevals.evaluator.evaluator_manifest import PATH, WORDS
from agentevals.files.document_places import quote
from agentevals.model.errors import point
from agentevals.model.results import Severity
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_finding import Finding, Rule, make_warning
from registry_tools.manifests.registry_folder import Registry

RULE = Rule(
    id="files",
    severity=Severity.ERROR,
    title="A folder has only files that people can review",
    why=(
        "People cannot review a compiled file, and an interpreter may run it "
        "instead of its source. So everything in `__pycache__/`, and `.pyc`, "
        "`.pyo`, `.pyd`, `.so`, `.dll`, `.dylib` and `.node` files are an error "
        "at every level. So are files that are not UTF-8 text, or have more than "
        "1 MiB. The index does not list them, and clients do not fetch them. With"
        " `--changed-since`, existing files of the other branch are a warning. "
        "Characters such as U+202E show people another program than the one that "
        "runs. A link shows another file on another machine. Tools start "
        "`conftest.py`, `sitecustomize.py` and `.pth` files without being asked. "
        "With a manifest of agentevals-cli's six keys, other leftovers of tools "
        "are a warning. So is a text with a name such as `.exe`, `.jar` or "
        "`.zip`. A file name with a space or an accent keeps the whole folder out"
        " of the index."
    ),
    bad="politeness/politeness.py\npoliteness/__pycache__/politeness.cpython-314.pyc\n"
    "politeness/data -> /etc",
    good="politeness/politeness.py\npoliteness/words.txt",
)
_PLANTED = {"conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", "tox.ini"}
_MADE = {"node_modules", "dist", "build", "venv", ".venv", ".git"}
_ENDINGS = {
    ".7z", ".a", ".bak", ".bin", ".class", ".egg", ".exe", ".gz", ".jar", ".log", ".o", ".orig",
    ".pkl", ".pickle", ".pth", ".rar", ".rej", ".swp", ".tar", ".tgz", ".tmp", ".wasm", ".whl",
    ".xz", ".zip",
}  # fmt: skip
_MOST, _MOST_READ = 100, MOST_BYTES
_PROGRAMS = (".cjs", ".js", ".mjs", ".mts", ".py", ".sh", ".ts")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def check(entry: Entry, registry: Registry) -> Iterator[Finding]:
    for link in entry.links:
        fix = "put a copy of the file there"
        yield entry.report_in(
            link, RULE, "this is neither a file nor a folder, but a link", fix=fix
        )
    unlisted = {file: why for file in entry.files if (why := _find_unreviewable(entry, file))}
    yield from _check_unlisted(entry, registry, unlisted)
    others = [file for file in entry.files if file not in unlisted]
    yield from _check_names(entry)
    for found in _check_strays(entry, others):
        yield make_warning(found) if entry.is_legacy else found
    yield from _check_planted(entry)
    yield from _check_turned(entry, others)
    yield from _check_doubles(entry)
    if len(entry.files) > _MOST:
        message = f"the folder has {len(entry.files):,} files; it may have {_MOST}"
        yield entry.report(RULE, message, fix="publish what is shared as a package")


def _find_unreviewable(entry: Entry, file: str) -> str:
    """Return why no index lists a file; manifests have rules of their own."""
    if is_compiled(file):
        return "compiled"
    try:
        return "" if file == MANIFEST else find_unreviewable(entry.read_bytes(file, _MOST_READ))
    except OSError:
        return ""


def _check_unlisted(
    entry: Entry, registry: Registry, unlisted: Mapping[str, str]
) -> Iterator[Finding]:
    """An error for those that are new, a warning for those that the other branch has already."""
    changed = registry.changed
    new = [f for f in unlisted if changed is None or f"{entry.folder}/{f}" in changed]
    known = [file for file in unlisted if file not in new]
    yield from _blame(entry, new, unlisted)
    yield from map(make_warning, _blame(entry, known, unlisted))


def _blame(entry: Entry, files: list[str], why: Mapping[str, str]) -> Iterator[Finding]:
    yield from _blame_compiled(entry, [file for file in files if is_compiled(file)])
    for file in files:
        if not is_compiled(file):
            fix = "remove it: no index lists it"
            yield entry.report_in(file, RULE, why[file], fix=fix)


def _blame_compiled(entry: Entry, files: list[str]) -> Iterator[Finding]:
    if files:
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        message = f"{quote(files[0])}{more}: people cannot review a compiled file"
        fix = "remove it, and list it in .gitignore"
        yield entry.report_in(files[0], RULE, message, fix=fix)


def _check_strays(entry: Entry, files: Iterable[str]) -> Iterator[Finding]:
    """One finding for a folder that tools made, whatever is in it."""
    seen: set[str] = set()
    for file in files:
        parts = file.split("/")
        made = next((i for i, part in enumerate(parts[:-1], 1) if part in _MADE), 0)
        folder = "/".join(parts[:made])
        if made and folder not in seen:
            seen.add(folder)
            message = f"a tool made this folder, and it holds {quote(parts[-1])}"
            yield entry.report_in(folder, RULE, message, fix="remove it, and list it in .gitignore")
        elif not made and (message := _check_file(entry, file)):
            yield entry.report_in(file, RULE, message, fix="remove it")


def _check_file(entry: Entry, file: str) -> str:
    _, dot, ending = file.rpartition(".")
    if dot + ending.lower() in _ENDINGS or file.endswith("~"):
        return f"{quote(file)} is not a file that people wrote"
    if not find_problem(file) and not re.match(PATH, file):
        return f"{quote(file)} is not {WORDS[PATH]}"
    try:
        entry.read_bytes(file, 1)
    except OSError as error:
        return f"it cannot be read: {(error.strerror or 'unknown').lower()}"
    return ""


def _check_names(entry: Entry) -> Iterator[Finding]:
    """Find names for which no index lists the whole folder."""
    for file in entry.files:
        if not is_compiled(file) and (problem := find_problem(file)):
            message = f"the name {quote(file)} {problem}: no index would list this evaluator"
            yield entry.report_in(file, RULE, message, fix="rename the file")


def _check_planted(entry: Entry) -> Iterator[Finding]:
    for file in entry.files:
        if file.rpartition("/")[2].lower() in _PLANTED:
            message = "other programs run or obey a file of this name when they come across it"
            yield entry.report_in(file, RULE, message, fix="rename or remove it")


def _check_turned(entry: Entry, files: Iterable[str]) -> Iterator[Finding]:
    """Find programs that people see in another order than interpreters read them."""
    for file in files:
        found = _TURNS.search(_read_program(entry, file))
        if found:
            before = found.string[: found.start()]
            at = point(before.count("\n") + 1, found.start() - before.rfind("\n"))
            code = f"{ord(found[0]):04X}"
            message = f"U+{code} turns text around: people see another program than what runs"
            yield entry.report_in(file, RULE, message, at, fix=f"remove it, or write \\u{code}")


def _read_program(entry: Entry, file: str) -> str:
    """Return the text of a program; "" for other files, and for what cannot be read."""
    try:
        return entry.read_bytes(file, _MOST_READ).decode() if file.endswith(_PROGRAMS) else ""
    except OSError:
        return ""


def _check_doubles(entry: Entry) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for file in entry.files:
        other = seen.setdefault(file.lower(), file)
        if other != file:
            message = f"on some systems this is the same file as {quote(other)}"
            yield entry.report_in(file, RULE, message, fix="rename one of them")
