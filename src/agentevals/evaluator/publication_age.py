"""How long ago something must have been published: `12h`, `7d`, `2w`."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_WRITTEN = re.compile(r"([1-9]\d{0,3})(h|d|w)", re.ASCII)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}


@dataclass(frozen=True)
class Age:
    """A least age, as a config writes it."""

    text: str

    @classmethod
    def parse(cls, text: str) -> "Age":
        """Parse an age; ValueError with the reason for anything else."""
        if not _WRITTEN.fullmatch(text):
            msg = "must be a number of hours, days or weeks, such as 12h, 7d or 2w"
            raise ValueError(msg)
        return cls(text)

    def holds(self, published: str) -> bool:
        """Return whether a time is so long ago; one that nobody knows is not."""
        try:
            moment = datetime.fromisoformat(published)
        except ValueError:
            return False
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return datetime.now(UTC) - aware >= self._span

    @property
    def _span(self) -> timedelta:
        return timedelta(hours=int(self.text[:-1]) * _HOURS[self.text[-1]])

    def __str__(self) -> str:
        return self.text
