"""The files to read, each once, and what is noted while one of them is read."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from agentevals.model.conversations import Trace
from agentevals.model.results import Blame, Finding, Severity
from agentevals.traces.reading import json_text
from agentevals.traces.reading.json_text import MalformedError
from agentevals.traces.reading.records import DAMAGED, Record

# what a loader may raise over a record; the record is then refused, the others are still read
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
UNREADABLE = (OSError, *DAMAGED)

_SAID = 20  # findings of one kind about one file; the others are counted
_ENDINGS = (".json", ".jsonl", ".ndjson", ".pb", ".binpb", ".otlp")
_PIECE = 2**20  # bytes


class Recording:
    """A trace file: what a loader is given to read."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        self.records: Iterable[Record] = ()
        self.size = 0  # of the records that were read so far, in bytes
        self.size_beside = 0  # of which in files that they name
        self._said: dict[tuple[str, Severity], list[Finding]] = {}
        self._unsaid: dict[tuple[str, Severity], int] = {}

    @property
    def findings(self) -> Iterator[Finding]:
        """The findings, kind by kind."""
        for kind, said in self._said.items():
            yield from said
            if unsaid := self._unsaid.get(kind):
                yield self._finding(f"and {unsaid} more like this", *kind)

    @property
    def has_errors(self) -> bool:
        """True if a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def each(self, read: Callable[[Record], Iterable[Trace]]) -> Iterator[Trace]:
        """The traces of every record. What cannot be read is said, and the rest is still read."""
        for record in self.records:
            self.size += len(record.data)
            try:
                yield from read(record)
            except MALFORMED as error:
                self.refuse(error, record.line)
            if record.is_rounded:
                why = "NaN, Infinity or a number beyond all bounds is read as null; correct it"
                self.report(why, line=record.line, rule="not-a-number", severity=Severity.WARNING)

    def refuse(self, error: Exception, line: int | None = None) -> None:
        """Say why something is not read."""
        why = error if isinstance(error, MalformedError) else _explain_malformed(error)
        place = (line or 1) + (why.line or 1) - 1 if line or why.line else None
        self.report(str(why), line=place, column=why.column)

    def skip(self, where: str, error: Exception, *, line: int | None = None) -> None:
        """Say why one thing in a record is not read; `where` is its path in the document."""
        why, _, inside = _describe(error).partition(" - at `$")
        place = f"{where}{inside.rstrip('`')}"
        self.report(f"{place}: {why[:1].lower()}{why[1:]}; it is left out", line=line)

    def report(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        rule: str = "malformed-trace",
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Add a finding about this file."""
        said = self._said.setdefault((rule, severity), [])
        if len(said) < _SAID:
            said.append(self._finding(message, rule, severity, line, column))
        else:
            self._unsaid[rule, severity] = self._unsaid.get((rule, severity), 0) + 1

    def _finding(
        self,
        message: str,
        rule: str,
        severity: Severity,
        line: int | None = None,
        column: int | None = None,
    ) -> Finding:
        return Finding(
            severity=severity,
            rule=rule,
            message=message,
            path=self.name,
            line=line,
            column=column,
            blame=Blame.INPUT if severity is Severity.ERROR else None,
        )


def _explain_malformed(error: Exception) -> MalformedError:
    if isinstance(error, RecursionError):
        return MalformedError(json_text.TOO_DEEP)
    return MalformedError(f"is malformed: {_describe(error)}; correct it or record it again")


def _describe(error: Exception) -> str:
    """A KeyError says only the key, and others of the kind nothing at all."""
    return str(error) if isinstance(error, ValueError) else repr(error)


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
