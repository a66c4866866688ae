"""The log of a job: what GitHub's runner is told in it, and that foreign text tells it nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TextIO

from agentevals.github.runner.secrets import SHORTEST, Redactor
from agentevals.text.terminal import READ, line, plain

PER_KIND = 10  # annotations of a kind that the runner keeps of one step
LONGEST_MESSAGE = 4_096  # characters of an annotation, as UTF-16 counts them
LONGEST_TITLE = 255

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


class Kind(StrEnum):
    """How an annotation looks."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, kw_only=True)
class Annotation:
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
    def of(cls, environ: Mapping[str, str], stream: TextIO) -> "Log":
        """For the environment that a runner sets, or any other."""
        return cls(stream, obeyed=environ.get("GITHUB_ACTIONS") == "true")

    def log(self, text: str) -> None:
        """Foreign text: its lines are shown, indented as they were, and nothing in them obeyed."""
        for part in self.redact(text).splitlines() or [""]:
            self._line(_indented(part))

    def write(self, text: str) -> None:
        """Text that is finished, with its colours and columns; foreign parts are plain already."""
        for part in self.redact(text).splitlines():
            self._line(part)

    def error(self, message: str, title: str = "") -> None:
        """What is wrong, for the list of annotations."""
        self.annotate(Annotation(kind=Kind.ERROR, message=message, title=title))

    def warning(self, message: str, title: str = "") -> None:
        """What somebody should look at."""
        self.annotate(Annotation(kind=Kind.WARNING, message=message, title=title))

    def notice(self, message: str, title: str = "") -> None:
        """What is good to know."""
        self.annotate(Annotation(kind=Kind.NOTICE, message=message, title=title))

    def annotate(self, annotation: Annotation) -> None:
        """The worst first: what the runner would drop is written as a line of the log."""
        self._written[annotation.kind] += 1
        if self.obeyed and self._written[annotation.kind] <= PER_KIND:
            self._command(annotation.kind, _properties(annotation, self.redact), annotation.message)
            return
        where = f"{annotation.place}: " if annotation.place else ""
        self.log(f"{annotation.kind}: {where}{annotation.message}")

    def left_out(self) -> str:
        """A sentence about the annotations that are in the log only; empty when there are none."""
        more = {kind: count - PER_KIND for kind, count in self._written.items()}
        texts = [f"{more[kind]} more {kind}s" for kind in Kind if more.get(kind, 0) > 0]
        if not self.obeyed or not texts:
            return ""
        return f"{', '.join(texts)} in the log only: GitHub shows {PER_KIND} of a kind per step"

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Lines that are folded away under a title."""
        self._begin(title)
        try:
            yield
        finally:
            if self.obeyed:
                self._raw("::endgroup::")

    def mask(self, secret: str) -> None:
        """Have the runner replace a secret from now on; where there is none it is not written."""
        lines = {part.strip() for part in secret.splitlines()}
        for part in sorted(lines if self.obeyed else ()):
            if len(part) >= SHORTEST:
                self._raw(f"::add-mask::{_escaped(part, _DATA)}")

    def _begin(self, title: str) -> None:
        if self.obeyed:
            self._command("group", "", plain(title))
        else:
            self.log(title)

    def _command(self, name: str, properties: str, message: str) -> None:
        told = f" {properties}" if properties else ""
        self._raw(f"::{name}{told}::{_escaped(_shown(self.redact(message)), _DATA)}")

    def _line(self, text: str) -> None:
        self._raw(line(text).rstrip("\n"))

    def _raw(self, text: str) -> None:
        # halves of surrogate pairs have no UTF-8
        self.stream.write(text.encode("utf-8", "replace").decode() + "\n")
        self.stream.flush()


def _properties(annotation: Annotation, redact: Redactor) -> str:
    """Columns are obeyed on a single line only, and lines only in a file."""
    given: dict[str, str | int | None] = {}
    if annotation.file:
        given["file"] = annotation.file
        if annotation.line and annotation.line > 0:
            end = max(annotation.line, annotation.end_line or annotation.line)
            given |= {"line": annotation.line, "endLine": end}
            given["col"] = annotation.column if end == annotation.line else None
    given["title"] = plain(annotation.title, LONGEST_TITLE - 1)
    return ",".join(
        f"{name}={_escaped(_shown(redact(str(value))), _PROPERTY)}"
        for name, value in given.items()
        if value
    )


def _shown(text: str) -> str:
    """Foreign text of several lines, within what the runner keeps of a message."""
    lines = (line(_indented(part, LONGEST_MESSAGE)).rstrip() for part in text.splitlines())
    return _cut("\n".join(lines), LONGEST_MESSAGE)


def _indented(text: str, limit: int = READ) -> str:
    """Plain, with the spaces that it began with: what is quoted may be YAML."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent[:limit] + plain(text, limit)


def _cut(text: str, units: int) -> str:
    encoded = text.encode("utf-16-le")
    if len(encoded) <= 2 * units:
        return text
    return encoded[: 2 * (units - 1)].decode("utf-16-le", "ignore") + "…"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
