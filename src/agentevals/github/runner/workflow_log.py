"""The log of a job, with commands that GitHub's runner obeys. Third-party text gives none."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TextIO

from agentevals.text.redaction import SHORTEST, Redactor
from agentevals.text.terminal import READ, line, plain

PER_KIND = 10  # annotations of a kind that the runner keeps of one step
LONGEST_MESSAGE = 4_096  # characters of an annotation, as UTF-16 counts them
LONGEST_TITLE = 255

_OURS = "agentevals"

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


class Kind(StrEnum):
    """The level of an annotation."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, kw_only=True)
class LogMessage:
    """A message at a line of a file of the workspace, or at none."""

    kind: Kind
    message: str
    title: str = ""
    file: str = ""
    line: int | None = None
    end_line: int | None = None
    column: int | None = None

    @property
    def place(self) -> str:
        """As people write it: `traces/paris.jsonl:3`."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


@dataclass
class Log:
    """Writes to a stream that the runner reads; `obeyed` is False where no runner does."""

    stream: TextIO
    obeyed: bool
    redact: Redactor = field(default_factory=Redactor)
    _written: Counter[Kind] = field(default_factory=Counter)

    @classmethod
    def open(cls, environ: Mapping[str, str], stream: TextIO) -> "Log":
        """Open the log of a runner, or of any other environment."""
        return cls(stream, obeyed=environ.get("GITHUB_ACTIONS") == "true")

    def log(self, text: str) -> None:
        """Write third-party text: its lines keep their indent, and the runner obeys none."""
        for part in self.redact(text).splitlines() or [""]:
            self._write_line(_indent(part))

    def write(self, text: str) -> None:
        """Write finished text, with colours and columns. Third-party parts are plain already."""
        for part in self.redact(text).splitlines():
            self._write_line(part)

    def error(self, message: str, title: str = "") -> None:
        """Report an error in the list of annotations."""
        self.annotate(LogMessage(kind=Kind.ERROR, message=message, title=title))

    def warning(self, message: str, title: str = "") -> None:
        """Warn about something to look at."""
        self.annotate(LogMessage(kind=Kind.WARNING, message=message, title=title))

    def notice(self, message: str, title: str = "") -> None:
        """Report something that is good to know."""
        self.annotate(LogMessage(kind=Kind.NOTICE, message=message, title=title))

    def annotate(self, annotation: LogMessage) -> None:
        """Annotate; write a line of the log instead if the runner would drop the annotation."""
        self._written[annotation.kind] += 1
        if self.obeyed and self._written[annotation.kind] <= PER_KIND:
            self._write_command(
                annotation.kind, _format_properties(annotation, self.redact), annotation.message
            )
            return
        where = f"{annotation.place}: " if annotation.place else ""
        self.log(f"{annotation.kind}: {where}{annotation.message}")

    def describe_overflow(self) -> str:
        """Describe the annotations that are in the log only; empty if there are none."""
        more = {kind: count - PER_KIND for kind, count in self._written.items()}
        texts = [f"{more[kind]} more {kind}s" for kind in Kind if more.get(kind, 0) > 0]
        if not self.obeyed or not texts:
            return ""
        return f"{', '.join(texts)} in the log only: GitHub shows {PER_KIND} of a kind per step"

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Fold the lines that are written within this under a title."""
        self._begin(title)
        try:
            yield
        finally:
            if self.obeyed:
                self._write_raw("::endgroup::")

    def mask(self, secret: str) -> None:
        """Let the runner replace a secret from now on. Without a runner nothing is written."""
        lines = {part.strip() for part in secret.splitlines()}
        for part in sorted(lines if self.obeyed else ()):
            if len(part) >= SHORTEST:
                self._write_raw(f"::add-mask::{_escape(part, _DATA)}")

    def _begin(self, title: str) -> None:
        if self.obeyed:
            self._write_command("group", "", plain(title))
        else:
            self.log(title)

    def _write_command(self, name: str, properties: str, message: str) -> None:
        told = f" {properties}" if properties else ""
        self._write_raw(f"::{name}{told}::{_escape(_format_message(self.redact(message)), _DATA)}")

    def _write_line(self, text: str) -> None:
        self._write_raw(line(text).rstrip("\n"))

    def _write_raw(self, text: str) -> None:
        # halves of surrogate pairs have no UTF-8
        self.stream.write(text.encode("utf-8", "replace").decode() + "\n")
        self.stream.flush()


class _WarningHandler(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.log(f"{record.levelname.lower()}: {self.format(record)}")


@contextmanager
def forward_warnings(log: Log) -> Iterator[None]:
    """Write warnings of our own modules to the log. Python would print them to stderr."""
    ours, handler = logging.getLogger(_OURS), _WarningHandler(log)
    ours.addHandler(handler)
    try:
        yield
    finally:
        ours.removeHandler(handler)


def _format_properties(annotation: LogMessage, redact: Redactor) -> str:
    """Format the properties. Columns need a single line, and lines need a file."""
    given: dict[str, str | int | None] = {}
    if annotation.file:
        given["file"] = annotation.file
        if annotation.line and annotation.line > 0:
            end = max(annotation.line, annotation.end_line or annotation.line)
            given |= {"line": annotation.line, "endLine": end}
            given["col"] = annotation.column if end == annotation.line else None
    given["title"] = plain(annotation.title, LONGEST_TITLE - 1)
    return ",".join(
        f"{name}={_escape(_format_message(redact(str(value))), _PROPERTY)}"
        for name, value in given.items()
        if value
    )


def _format_message(text: str) -> str:
    """Format third-party text of several lines, cut to the longest message of the runner."""
    lines = (line(_indent(part, LONGEST_MESSAGE)).rstrip() for part in text.splitlines())
    return _cut("\n".join(lines), LONGEST_MESSAGE)


def _indent(text: str, limit: int = READ) -> str:
    """Return plain text with its leading spaces, because it may quote YAML."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent[:limit] + plain(text, limit)


def _cut(text: str, units: int) -> str:
    encoded = text.encode("utf-16-le")
    if len(encoded) <= 2 * units:
        return text
    return encoded[: 2 * (units - 1)].decode("utf-16-le", "ignore") + "…"


def _escape(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
