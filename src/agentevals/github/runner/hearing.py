"""Warnings of our own modules, as lines of the job's log: without secrets, and not obeyed."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from agentevals.github.runner.workflow_log import Log

_OURS = "agentevals"


class _IntoTheLog(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.log(f"{record.levelname.lower()}: {self.format(record)}")


@contextmanager
def heard(log: Log) -> Iterator[None]:
    """Without this, Python would write them to stderr as they are."""
    ours, handler = logging.getLogger(_OURS), _IntoTheLog(log)
    ours.addHandler(handler)
    try:
        yield
    finally:
        ours.removeHandler(handler)
