"""A run split over several machines: each judges the cases that fall to its shard."""

from typing import NamedTuple
from zlib import crc32


class Shard(NamedTuple):
    """The part of the cases that is evaluated, counted from 1."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse `1/4`; return the whole for an empty text."""
        number, _, total = text.partition("/")
        return cls(int(number), int(total)) if text else WHOLE

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def holds(self, case_id: str) -> bool:
        """Return whether a case falls to this shard; each falls to exactly one, on any machine."""
        return crc32(case_id.encode(errors="replace")) % self.total == self.number - 1


WHOLE = Shard(1, 1)
