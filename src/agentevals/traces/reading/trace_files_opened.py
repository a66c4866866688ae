"""A trace file: opened and unpacked, and what is noted while its records are read."""

import codecs
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import fstat
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from agentevals.files import named_files
from agentevals.files.storage import Remote
from agentevals.model.conversations import Trace
from agentevals.model.results import Blame, Finding, Severity
from agentevals.traces.reading import TOO_DEEP, MalformedError, Record
from agentevals.traces.reading.trace_unpacking import (
    DAMAGED,
    MOST_TIMES,
    BombError,
    MissingPackageError,
    unpack,
)

_BUFFER = 2**20
_HELD = 2**26  # bytes of a file that is read at once, which is faster than line by line
_LONGEST_MARK = 4
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"[\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
    (b"\0[", "utf-16-be"),
)
_SAID = 20  # findings of one kind about one file; the others are counted


UNREADABLE = (OSError, MissingPackageError, *DAMAGED)
# what a loader may raise over a record; the record is then refused, the others are still read
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Recording:
    """A trace file: what a loader is given to read."""

    def __init__(self, path: Path, name: str = "") -> None:
        self.path, self.name = path, name or str(path)
        self.records: Iterable[Record] = ()
        self.size = 0  # of the records that were read so far, in bytes
        self.size_beside = 0  # of which in files that they name
        self._said: dict[tuple[str, Severity], list[Finding]] = {}
        self._unsaid = Counter[tuple[str, Severity]]()

    @property
    def findings(self) -> Iterator[Finding]:
        """Yield the findings, kind by kind."""
        for kind, said in self._said.items():
            yield from said
            if unsaid := self._unsaid[kind]:
                message = f"and {unsaid} more like this"
                yield replace(said[0], message=message, line=None, column=None)

    @property
    def has_errors(self) -> bool:
        """True if a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def each(self, read: Callable[[Record], Iterable[Trace]]) -> Iterator[Trace]:
        """Yield the traces of every record; report what cannot be read, and read the rest."""
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
        self.report(f"{place}: {why[:1].lower()}{why[1:]}; it is skipped", line=line)

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
            finding = Finding(
                severity=severity,
                rule=rule,
                message=message,
                path=self.name,
                line=line,
                column=column,
                blame=Blame.INPUT if severity is Severity.ERROR else None,
            )
            said.append(finding)
        else:
            self._unsaid[rule, severity] += 1


def _explain_malformed(error: Exception) -> MalformedError:
    if isinstance(error, RecursionError):
        return MalformedError(TOO_DEEP)
    return MalformedError(f"is malformed: {_describe(error)}; correct it or record it again")


def _describe(error: Exception) -> str:
    """A KeyError says only the key, and others of the kind nothing at all."""
    return str(error) if isinstance(error, ValueError) else repr(error)


@contextmanager
def open_trace(path: Path) -> Iterator[BinaryIO]:
    """Yield the bytes of a file, unpacked when they are compressed, and as UTF-8."""
    with _open(path) as raw:
        packed = unpack(raw)
        stream = packed or raw
        start = stream.peek(_LONGEST_MARK)
        encoding = next((name for mark, name in _ENCODINGS if start.startswith(mark)), None)
        if encoding:
            yield io.BytesIO(_convert_to_utf8(stream.read(), encoding))
        elif not packed and raw.seekable() and fstat(raw.fileno()).st_size <= _HELD:
            raw.seek(0)
            yield io.BytesIO(raw.read())
        else:
            yield stream


def _open(path: Path) -> io.BufferedReader:
    if isinstance(path, Remote):
        return path.open_stream()
    file = open(path, "rb", buffering=0, opener=named_files.open_readable)  # noqa: SIM115
    return io.BufferedReader(file, _BUFFER)


def _convert_to_utf8(data: bytes, encoding: str) -> bytes:
    if encoding == "utf-8-sig":
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        msg = f"looks like {encoding.upper()} but is not; save it as UTF-8"
        raise MalformedError(msg) from error


def explain_damage(error: Exception) -> str:
    """Return why the rest of a file cannot be unpacked, and what to do."""
    if isinstance(error, BombError):
        most = f"becomes more than {MOST_TIMES} times as large when it is unpacked"
        return f"{most}; unpack it yourself if you trust it"
    if isinstance(error, EOFError):
        return "ends in the middle of what is compressed in it; it was cut off, copy it again"
    return "is damaged: what is compressed in it cannot be unpacked; copy it again"
