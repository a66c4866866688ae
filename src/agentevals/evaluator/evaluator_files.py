"""The files of one evaluator: names that lead nowhere else, digests, and how much it may be."""

import hashlib
import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from agentevals.model.errors import InputError
from agentevals.text.terminal import plain

log = logging.getLogger(__name__)

MOST_FILES = 200
MOST_BYTES = 32 * 1024 * 1024
LARGEST_FILE = 1 << 20  # bytes that somebody may review
_LONGEST, _DEEPEST = 512, 16
_SEGMENT = re.compile(r"(?!\.+$)[A-Za-z0-9._+@-]{1,128}(?<!\.)\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
# Python and Node load these by themselves, some of them instead of the source that lies beside
_COMPILED = (".pyc", ".pyo", ".pyd", ".so", ".dll", ".dylib", ".node")
_CACHE = "__pycache__"
_NAMED = 3  # files that a sentence lists


def find_problem(name: str) -> str:
    """Return why a file of this name is not taken; empty where it is."""
    segments = name.split("/")
    if len(name) > _LONGEST or len(segments) > _DEEPEST:
        return f"is longer than {_LONGEST} characters or deeper than {_DEEPEST} folders"
    if not all(map(_SEGMENT.match, segments)):
        return "must be a relative path of letters, digits, '.', '_', '+', '@' and '-'"
    return ""


def is_compiled(name: str) -> bool:
    """Tell whether a file may run although nobody can read it: it is never listed or fetched."""
    *above, last = name.casefold().split("/")
    return _CACHE in above or last.endswith(_COMPILED)


def find_unreviewable(content: bytes) -> str:
    """Return why nobody can review a file; "" for a text that is not too long."""
    if len(content) > LARGEST_FILE:
        return f"the file has {len(content):,} bytes; it may have {LARGEST_FILE:,}"
    try:
        is_text = b"\0" not in content and content.decode() is not None
    except UnicodeDecodeError:
        is_text = False
    return "" if is_text else "this is a binary file, which people cannot review"


def drop_compiled(names: Iterable[str], *, about: str = "") -> list[str]:
    """Return the names without compiled files; with `about`, a warning names the others."""
    every = list(names)
    kept = [name for name in every if not is_compiled(name)]
    if about and len(kept) < len(every):
        left_out = [name for name in every if is_compiled(name)]
        shown = ", ".join(plain(name, 100) for name in left_out[:_NAMED])
        more = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
        log.warning(
            "%s has compiled files, which are never fetched or run: %s%s", about, shown, more
        )
    return kept


def check(names: Iterable[str], *, about: str) -> None:
    """Refuse names that lead out of a folder, or that one folder cannot hold together."""
    seen: dict[str, str] = {}
    for count, name in enumerate(names, start=1):
        if count > MOST_FILES:
            raise _build_refusal(about, f"has more than {MOST_FILES} files")
        if wrong := find_problem(name):
            raise _build_refusal(about, f"has a file {plain(name, 100)!r}, whose name {wrong}")
        if (folded := name.casefold()) in seen:
            both = f"{seen[folded]!r} and {name!r}"
            raise _build_refusal(about, f"has {both}, which are one file on many machines")
        seen[folded] = name
    for name in (each for each in seen if "/" in each):
        for above in PurePosixPath(name).parents:
            if str(above) in seen:
                both = f"has {seen[str(above)]!r} both as a file and as a folder"
                raise _build_refusal(about, both)


def check_digests(files: Mapping[str, str], *, about: str) -> None:
    """Check names and their digests; every file needs one."""
    check(files, about=about)
    for name, digest in files.items():
        if not _SHA256.match(digest):
            raise _build_refusal(about, f"gives {name!r} no sha256 of 64 hexadecimal digits")


def compute_digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the sha256 of every file."""
    return {name: hashlib.sha256(contents[name]).hexdigest() for name in sorted(contents)}


def list_differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a sentence for each file that differs."""
    names = sorted({*expected, *found})
    return [
        _describe_difference(name, expected.get(name), found.get(name))
        for name in names
        if expected.get(name) != found.get(name)
    ]


def _describe_difference(name: str, expected: str | None, found: str | None) -> str:
    if expected is None:
        return f"{name} is too many"
    if found is None:
        return f"{name} is missing"
    return f"{name} has the sha256 {found[:12]}…, not {expected[:12]}…"


def _build_refusal(about: str, what: str) -> InputError:
    return InputError(f"{about} {what}; nothing of it is used")
