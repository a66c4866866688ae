"""What differs from run to run although nothing has changed, and what is put in its place.

The rules are few and narrow: a number that is not the clock's stays as it is, and so does order.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_MINUTE = 60.0
_ZERO_WIDTH = "\u200b"  # in a comment, it keeps `:03` from becoming an emoji
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\u200b?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?")
_EPOCH = re.compile(r"(?<![\d.])\d{10}(?:\.\d+)?(?![\d.])|(?<![\d.])\d{13}(?![\d.])")

# name of the rule: what it finds, and what is put there
RULES: dict[str, tuple[str, str]] = {
    "how long a run or an evaluator took": (
        r'(\\?"duration_ms\\?": ?)\d[\d.e+-]*',
        r"\1<duration>",
    ),
    "how long a run took, after its score": (
        r"(?m) · \d+(?:\.\d)? (?:ms|s)$",
        " · <duration>",
    ),
    "how long an evaluator took, in a summary": (
        r"(?m) \[\d+(?:\.\d)? (?:ms|s)\]$",
        " [<duration>]",
    ),
    "how long it took, in JUnit": (r'\btime="\d+\.\d{3}"', 'time="<duration>"'),
    "how long it took, in CTRF": (r'("duration": )\d+\b', r"\1<duration>"),
    "how old a baseline is": (r"\b\d+ (?:hours?|days?) old\b", "<age> old"),
    "ends of outputs of several lines": (r"\bend_[0-9a-f]{32}\b", "end_<random>"),
    "names of check runs": (
        r"(\bagentevals-[0-9a-f]{12}-\d+-\d+-)[0-9a-f]{32}\b",
        r"\1<random>",
    ),
    "checksums of texts with addresses in them": (r'(\\?"checksum\\?": )\d+', r"\1<checksum>"),
    "bytes of an uploaded archive": (
        r'("(?:size|hash)": )"(?:\d+|sha256:[0-9a-f]{64})"',
        r'\1"<of the archive>"',
    ),
    "ports that the system chose": (r"127\.0\.0\.1:\d{4,5}", "127.0.0.1:<port>"),
    "the walls of this machine": (r"\b(?:strict|partial|basic) \([^()\n]*\)", "<walls>"),
}
_COMPILED = [(re.compile(pattern), put) for pattern, put in RULES.values()]


@dataclass(frozen=True)
class Masks:
    """Masks of one run: `places` are texts that only this run has, `began` is when it began."""

    places: Mapping[str, str]
    began: float

    def masked(self, text: str) -> str:
        for place, name in sorted(self.places.items(), key=lambda known: -len(known[0])):
            text = text.replace(place, name)
        for pattern, put in _COMPILED:
            text = pattern.sub(put, text)
        text = _ISO.sub(self._unless_recorded(_seconds_of_text), text)
        return _EPOCH.sub(self._unless_recorded(_seconds_of_number), text)

    def _unless_recorded(
        self, seconds: Callable[[str], float | None]
    ) -> Callable[[re.Match[str]], str]:
        """Only moments of this run are masked; those in recordings are not."""

        def put(found: re.Match[str]) -> str:
            at = seconds(found[0])
            now = datetime.now(UTC).timestamp()
            of_this_run = at is not None and self.began - _MINUTE <= at <= now + _MINUTE
            return "<moment>" if of_this_run else found[0]

        return put


def _seconds_of_text(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text.replace(_ZERO_WIDTH, ""))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _seconds_of_number(text: str) -> float:
    return float(text) / (1000 if len(text) == len("1700000000000") else 1)
