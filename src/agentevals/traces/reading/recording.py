"""One trace file while it is read, and what there is to say about it."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from agentevals.model.conversations import Trace
from agentevals.model.results import Blame, Finding, Severity
from agentevals.traces.reading import json_text
from agentevals.traces.reading.json_text import MalformedError
from agentevals.traces.reading.records import DAMAGED, Record

# what a loader may raise over a record; the record is then refused, the others are still read
MALFORMED = (
    *(ArithmeticError, AttributeError, LookupError),
    *(RecursionError, TypeError, ValueError),
)
UNREADABLE = (OSError, *DAMAGED)

_SAID = 20  # findings of one kind about one file; the others are counted


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
