"""Which files the trace arguments name: paths, folders and globs."""

from collections.abc import Iterable
from pathlib import Path

from agentevals.files import storage
from agentevals.files.named_files import contains, exists, find_matches
from agentevals.files.project_paths import split_pattern, unescape
from agentevals.model.results import Blame, Finding, Severity


def expand(
    patterns: Iterable[str], *, root: Path | None = None
) -> tuple[list[Path], list[Finding]]:
    """The files in the order in which they were named; a finding for a glob without a match.

    With a `root`, files that lie elsewhere are not read, and a finding says so.
    """
    paths: list[Path] = []
    findings: list[Finding] = []
    for pattern in patterns:
        matched = _matches(pattern)
        inside = [path for path in matched if _is_inside(root, path)]
        paths += inside
        if not matched:
            findings.append(_no_match(pattern))
        elif len(inside) < len(matched):
            findings.append(_outside(pattern))
    return paths, findings


def _matches(pattern: str) -> list[Path]:
    """A name without wildcards is kept even when nothing is there: the loader says so better.

    Nothing at all, such as a variable of a shell that is not set, does not name this folder.
    """
    pattern = storage.read_local(pattern)
    if storage.is_address(pattern):
        return storage.list_files(pattern)
    literal = Path(unescape(pattern))
    if not split_pattern(pattern)[1] or exists(literal):
        return [literal] if pattern else []
    return sorted((path for path in find_matches(pattern) if path.is_file()), key=str)


def _is_inside(root: Path | None, path: Path) -> bool:
    is_remote = isinstance(path, storage.Remote)
    return root is None if is_remote else contains(root, path)


def _outside(pattern: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        rule="trace-file-outside",
        message=f"{unescape(pattern)!r} leads out of the workspace, and what lies there is not "
        "read",
        blame=Blame.INPUT,
    )


def _no_match(pattern: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        rule="no-trace-file",
        message=f"no trace file matches {unescape(pattern)!r}; check the path, or record traces "
        "with 'agentevals record -o traces/ -- COMMAND'",
        blame=Blame.INPUT,
    )
