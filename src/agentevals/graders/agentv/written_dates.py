"""Dates as people write them, read the same on every machine."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

from agentevals.graders import javascript

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WORD = "[A-Za-z]{3,9}"
# what a letter of a format stands for; the longer ones first
_TOKENS = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d{2})",
    "MMMM": rf"(?P<month>{_WORD})\.?",
    "MMM": rf"(?P<month>{_WORD})\.?",
    "MM": r"(?P<month>\d{1,2})",
    "M": r"(?P<month>\d{1,2})",
    "dddd": _WORD,
    "ddd": _WORD,
    "DD": r"(?P<day>\d{1,2})",
    "D": r"(?P<day>\d{1,2})",
    "HH": r"(?P<hour>\d{1,2})",
    "H": r"(?P<hour>\d{1,2})",
    "hh": r"(?P<hour>\d{1,2})",
    "h": r"(?P<hour>\d{1,2})",
    "mm": r"(?P<minute>\d{2})",
    "ss": r"(?P<second>\d{2})",
    "SSS": r"\d{1,9}",
    "A": r"(?P<half>[AaPp][Mm])",
    "a": r"(?P<half>[AaPp][Mm])",
    "ZZ": r"(?P<zone>Z|[+-]\d{2}:?\d{2})",
    "Z": r"(?P<zone>Z|[+-]\d{2}:?\d{2})",
}
_PIECE = re.compile("|".join(sorted(_TOKENS, key=len, reverse=True)) + r"|\[[^\]]*\]|.", re.DOTALL)
_NAMING = frozenset(token for token, source in _TOKENS.items() if "(?P<" in source)
_STRANGE = re.compile("[%A-SU-Za-z]")  # every letter but the T of ISO 8601
_TIME = (
    r"(?:(?:[Tt]|,?\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[AaPp][Mm]))?(?:\s*(?P<zone>Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?)?"
)
_ISO = re.compile(
    rf"(?P<year>\d{{4}})(?:-(?P<month>\d{{2}})(?:-(?P<day>\d{{2}}){_TIME})?)?", re.ASCII
)
_ISO_BASIC = re.compile(r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})", re.ASCII)

# how dates are written besides; where day and month could be either, the month comes first
_WRITTEN = (
    "MMMM D, YYYY", "MMMM D YYYY", "D MMMM YYYY", "D MMMM, YYYY", "D MMMM YY", "D-MMMM-YYYY",
    "D/MMMM/YYYY", "MMMM-D-YYYY", "YYYY MMMM D", "MMMM D HH:mm:ss YYYY", "MMMM YYYY", "YYYY-MM-DD",
    "YYYY/MM/DD", "YYYY.MM.DD",
)  # fmt: skip
_MONTH_FIRST = ("MM/DD/YYYY", "MM-DD-YYYY", "MM/DD/YY")
_DAY_FIRST = ("DD/MM/YYYY", "DD-MM-YYYY")
# whoever writes points writes the day first
_DOTTED = ("DD.MM.YYYY", "MM.DD.YYYY", "DD.MM.YY", "MM.DD.YY")
_LONGEST = 100  # characters of a date
_PIVOT = 50  # two digits below it are of this century


def read_day(text: str, formats: Sequence[str] = ()) -> str | None:
    """The day in UTC, as `YYYY-MM-DD`; None if the text is no date.

    The formats are tried first, in their order, then ISO 8601, then what people write.
    """
    written = javascript.trim(text)
    if len(written) > _LONGEST:
        return None
    for pattern in _compile_patterns(tuple(formats)):
        match = pattern.fullmatch(written)
        moment = _read_moment(match) if match else None
        if moment is not None:
            return moment.date().isoformat()
    return None


def find_mistake(written: str) -> str:
    """Describe the mistake in a format; empty if it has none."""
    pieces = _PIECE.findall(written)
    unknown = (piece for piece in pieces if _STRANGE.fullmatch(piece) and piece not in _TOKENS)
    if letter := next(unknown, ""):
        return f"{letter!r} has no meaning in it"
    named = [_TOKENS[piece].partition(">")[0] for piece in pieces if piece in _NAMING]
    if len(named) != len(set(named)):
        return "it names one thing twice"
    return "" if {"YYYY", "YY"} & set(pieces) else "it has no year (YYYY)"


@cache
def _compile_patterns(formats: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    listed = (re.compile(_build_pattern(one), re.ASCII) for one in formats)
    besides = (
        re.compile(
            f"(?:{_WORD},?\\s+)?{_build_pattern(one)}{'' if 'HH' in one else _TIME}", re.ASCII
        )
        for one in (*_WRITTEN, *_list_numeric(formats), *_DOTTED)
    )
    return (*listed, _ISO, _ISO_BASIC, *besides)


def _list_numeric(formats: Iterable[str]) -> Iterable[str]:
    """List numeric formats in the order of the given formats; in both if that is not clear."""
    month_first = any(("MM/DD" in one) or ("MM-DD" in one) for one in formats)
    day_first = any(("DD/MM" in one) or ("DD-MM" in one) for one in formats)
    if month_first != day_first:
        return _MONTH_FIRST if month_first else _DAY_FIRST
    return _MONTH_FIRST + _DAY_FIRST


def _build_pattern(written: str) -> str:
    return "".join(
        _TOKENS.get(piece) or re.escape(piece[1:-1] if piece.startswith("[") else piece)
        for piece in _PIECE.findall(written)
    )


def _read_moment(match: re.Match[str]) -> datetime | None:
    """The moment in UTC, to which a time without a zone belongs; None if there is no such day."""
    found = {name: value for name, value in match.groupdict().items() if value}
    month = _read_month(found.get("month", "1"))
    if month is None:
        return None
    try:
        moment = datetime(
            _read_year(found["year"]),
            month,
            int(found.get("day", "1")),
            _read_hour(int(found.get("hour", "0")), found.get("half", "")),
            int(found.get("minute", "0")),
            min(int(found.get("second", "0")), 59),
            tzinfo=_read_zone(found.get("zone", "")),
        )
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_year(digits: str) -> int:
    year = int(digits)
    if len(digits) == len("YYYY"):
        return year
    return year + (2000 if year < _PIVOT else 1900)


def _read_month(written: str) -> int | None:
    if written.isdigit():
        return int(written)
    name = written.lower()
    return next((n for n, month in enumerate(_MONTHS, 1) if month.startswith(name)), None)


def _read_hour(hour: int, half: str) -> int:
    return hour % 12 + 12 * (half.lower() == "pm") if half else hour


def _read_zone(written: str) -> timezone:
    if not written or written[0] not in "+-":
        return UTC
    digits = written[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if written[0] == "-" else offset)
