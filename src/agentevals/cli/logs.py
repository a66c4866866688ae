"""Log messages as lines for people on stderr."""

import logging
import sys

from agentevals.text.terminal import line, plain

_OURS = "agentevals"
_PREFIXES = {logging.WARNING: "warning: ", logging.ERROR: "error: "}


class _Lines(logging.Formatter):
    """One line per message, whatever foreign text is in it; a traceback has its own below."""

    def format(self, record: logging.LogRecord) -> str:
        prefix = f"agentevals: {_PREFIXES.get(record.levelno, '')}"
        said = [plain(record.getMessage())]
        if record.exc_info:
            said += [plain(row) for row in self.formatException(record.exc_info).splitlines()]
        return "".join(line(f"{prefix}{text}") for text in said)


class _OverTheBar(logging.StreamHandler):  # type: ignore[type-arg]  # generic only in its stub
    """A progress bar may stand where a line is to be written; it draws itself again."""

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream.isatty():
            self.stream.write("\r\x1b[K")
        super().emit(record)


def show(*, everything: bool) -> None:
    """Progress and warnings of ours reach people; with `everything` also what is for debugging."""
    handler = _OverTheBar(sys.stderr)
    handler.setFormatter(_Lines())
    handler.terminator = ""
    ours = logging.getLogger(_OURS)
    ours.handlers = [handler]
    ours.setLevel(logging.DEBUG if everything else logging.INFO)
    ours.propagate = False
