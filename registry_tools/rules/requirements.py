"""`requirements`: every package is pinned and has a hash, and none comes from elsewhere."""

from collections.abc import Iterator

from agentevals.model.errors import Edit
from agentevals.model.results import Severity
from registry_tools.manifests.entry import Entry
from registry_tools.manifests.finding import Finding, Rule, make_warning
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.validators import paths, pins

RULE = Rule(
    id="requirements",
    severity=Severity.ERROR,
    title="Requirements are a lock: exact versions with hashes, and nothing else",
    why="What is installed tomorrow must be what was reviewed today. An option, a URL or a path in "
    "this file lets its author choose where packages come from, on the machine of whoever runs "
    "the evaluator. `uv pip compile --generate-hashes` writes such a file. Where the manifest has "
    "the predecessor's six keys only, it is a warning.",
    bad="--extra-index-url https://packages.example.com/simple\nregex>=2024",
    good="regex==2024.11.6 \\\n    --hash=sha256:"
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    mends="names the file in the manifest",
)
_USUAL = "requirements.txt"
_LARGEST = 1 << 20


def check(entry: Entry, _: Registry) -> Iterator[Finding]:
    path = entry.get_text("requirements")
    if path:
        wrong = paths.check_path(path, entry.files, entry.links)
        if wrong:
            at = entry.locate("requirements")
            yield entry.report(RULE, f"'requirements' {wrong.message}", at, fix=wrong.fix)
            return
    elif _USUAL in entry.files:
        path = _USUAL
        if not entry.is_legacy:
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
    for problem in pins.find_problems(text):
        yield entry.report_in(path, RULE, problem.message, problem.at, fix=problem.fix)
