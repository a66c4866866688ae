"""The files to read: folders are replaced by their files, and each file is read once."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentevals.model.results import Blame, Finding, Severity

_ENDINGS = (".json", ".jsonl", ".ndjson", ".pb", ".binpb", ".otlp")
_PIECE = 2**20


class Files:
    """The files that were named. Walk them once; `findings` is then complete."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.findings: list[Finding] = []
        self._named = tuple(paths)

    def __iter__(self) -> Iterator[Path]:
        return self._skip_repeated([path for named in self._named for path in self._unfold(named)])

    def was_named(self, path: Path) -> bool:
        """Return whether the user named this file, and not only its folder."""
        return path in self._named

    def _unfold(self, path: Path) -> list[Path]:
        try:
            inside = [file for file in sorted(path.iterdir()) if _may_be_trace(file)]
        except (OSError, ValueError):  # not a folder; opening it says what else is wrong
            return [path]
        if not inside:
            why = f"is a folder without trace files ({', '.join(_ENDINGS)}); name the files to read"
            self._report(Severity.ERROR, "unreadable-trace", why, path)
        return inside

    def _skip_repeated(self, paths: list[Path]) -> Iterator[Path]:
        """Only files of equal size are compared, so that most are read once."""
        sizes = [_size(path) for path in paths]
        alike = Counter(sizes)
        first: dict[bytes, Path] = {}
        for path, size in zip(paths, sizes, strict=True):
            if size is None or alike[size] == 1:
                yield path
                continue
            digest = _digest(path)
            same = first.get(digest)
            if same is None:
                first[digest] = path
                yield path
            else:
                why = "was given before" if same == path else f"has the same content as {same}"
                self._report(Severity.WARNING, "repeated-file", f"{why}; counted once", path)

    def _report(self, severity: Severity, rule: str, message: str, path: Path) -> None:
        blame = Blame.INPUT if severity is Severity.ERROR else None
        self.findings.append(
            Finding(severity=severity, rule=rule, message=message, path=str(path), blame=blame)
        )


def _may_be_trace(path: Path) -> bool:
    name = path.name
    return (
        name.removesuffix(".gz").endswith(_ENDINGS) and not name.startswith(".") and path.is_file()
    )


def _size(path: Path) -> int | None:
    """None for what cannot be compared: an empty or missing file, a pipe."""
    try:
        return (path.stat().st_size or None) if path.is_file() else None
    except (OSError, ValueError):
        return None


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError:
        return str(path).encode()
    return digest.digest()
