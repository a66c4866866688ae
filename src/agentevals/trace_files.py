"""Which files the trace arguments name: paths, folders and globs."""

import os
from collections.abc import Iterable, Iterator
from glob import has_magic, iglob
from pathlib import Path

from agentevals.model import Blame, Finding, Severity


def expand(patterns: Iterable[str], *, root: Path | None = None) -> tuple[list[Path], list[Finding]]:
    """The files in the order in which they were named, and a finding for a glob without a match."""
    paths: list[Path] = []
    findings: list[Finding] = []
    for pattern in patterns:
        literal = Path(os.path.normpath((root or Path()) / pattern))
        if not has_magic(pattern) or literal.exists():
            paths.append(literal)
            continue
        matched = sorted(_matches(pattern, root))
        paths += matched
        if not matched:
            findings.append(_no_match(pattern))
    return paths, findings


def _matches(pattern: str, root: Path | None) -> Iterator[Path]:
    for name in iglob(pattern, root_dir=root, recursive=True):
        path = (root or Path()) / name
        if path.is_file():
            yield path


def _no_match(pattern: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        rule="no-trace-file",
        message=f"no trace file matches {pattern!r}; check the path, or record traces with "
        "'agentevals record -o traces/ -- COMMAND'",
        blame=Blame.INPUT,
    )
