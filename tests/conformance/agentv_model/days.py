"""Days as 3.8 asks for them: by the listed formats, as ISO 8601, then as people write them."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from tests.conformance.agentv_model.texts import trim
from tests.conformance.agentv_model.values import print_number

_TOKENS = (
    ("YYYY", "%Y"), ("MMMM", "%B"), ("MMM", "%b"), ("MM", "%m"), ("DD", "%d"), ("HH", "%H"),
    ("mm", "%M"), ("ss", "%S"), ("D", "%d"),
)  # fmt: skip
_WORDS = (
    "%d-%b-%Y", "%d-%B-%Y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d",
    "%B %d %Y", "%b %d %Y", "%Y.%m.%d", "%d/%b/%Y", "%Y", "%Y-%m",
)  # fmt: skip
_MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y")
_DAY_FIRST = ("%d/%m/%Y", "%d-%m-%Y")
# who writes points writes the day first
_DOTTED = ("%d.%m.%Y", "%m.%d.%Y", "%d.%m.%y", "%m.%d.%y")
_TIMES = ("", " %H:%M", " %H:%M:%S")


def read_day(value: Any, formats: Sequence[str]) -> str | None:
    """The day in UTC, or nothing if it is none."""
    if isinstance(value, bool) or value is None:
        return None
    text = trim(print_number(value) if isinstance(value, int | float) else str(value))
    for one in formats:
        if day := _parse(text, _translate(one)):
            return day
    with suppress(ValueError):
        moment = datetime.fromisoformat(text)
        return _bring_to_utc(moment)
    month_first = any("MM/DD" in one or "MM-DD" in one for one in formats)
    day_first = any("DD/MM" in one or "DD-MM" in one for one in formats)
    numeric = (*_MONTH_FIRST, *_DAY_FIRST)
    if month_first != day_first:
        numeric = _MONTH_FIRST if month_first else _DAY_FIRST
    ways = (way + time for way in (*_WORDS, *numeric, *_DOTTED) for time in _TIMES)
    return next((day for way in ways if (day := _parse(text, way))), None)


def _translate(written: str) -> str:
    for token, code in _TOKENS:
        written = written.replace(token, code) if code not in written else written
    return written


def _parse(text: str, way: str) -> str | None:
    with suppress(ValueError):
        return _bring_to_utc(datetime.strptime(text, way))  # noqa: DTZ007 -- it is taken for UTC
    return None


def _bring_to_utc(moment: datetime) -> str:
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()
