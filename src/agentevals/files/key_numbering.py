"""Keys numbered in the order of first sight, in about thirty bytes each, however long they are."""

from array import array
from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct

_DIGEST = Struct("<QQ")
_LEAST = 64  # slots; their number is a power of two


class Numbering:
    """Numbers keys from 0 on. A key counts by 128 bits of its digest, so that no two are alike.

    A dict of a million texts takes two hundred megabytes, this takes thirty.
    """

    def __init__(self) -> None:
        self._digests = array("Q")  # two for each key
        self._slots = array("I", bytes(4 * _LEAST))  # a number and one, at or after its digest

    def __len__(self) -> int:
        return len(self._digests) // 2

    @property
    def digests(self) -> Sequence[int]:
        """Return 64 bits of the digest of each key."""
        return self._digests[::2]

    def find(self, key: str) -> int | None:
        """Return the number of a key; None if it has none."""
        number = self._slots[self._seek(*_make_digest(key))]
        return number - 1 if number else None

    def add(self, key: str) -> int:
        """Return the number of a key, which is the next one if the key is new."""
        first, second = _make_digest(key)
        slot = self._seek(first, second)
        if number := self._slots[slot]:
            return number - 1
        self._digests.append(first)
        self._digests.append(second)
        number = self._slots[slot] = len(self._digests) // 2
        if 3 * number > 2 * len(self._slots):
            self._grow()
        return number - 1

    def _seek(self, first: int, second: int) -> int:
        """Return the slot of a digest, or the free one in which it belongs."""
        slots, digests = self._slots, self._digests
        most = len(slots) - 1
        slot = first & most
        while number := slots[slot]:
            at = 2 * number - 2
            if digests[at] == first and digests[at + 1] == second:
                return slot
            slot = (slot + 1) & most
        return slot

    def _grow(self) -> None:
        slots = self._slots = array("I", bytes(2 * 4 * len(self._slots)))
        most = len(slots) - 1
        for number, first in enumerate(self._digests[::2], 1):
            slot = first & most
            while slots[slot]:
                slot = (slot + 1) & most
            slots[slot] = number


class Places:
    """The places of each key: nearly all keys have one."""

    def __init__(self) -> None:
        self._keys = Numbering()
        self._first = array("I")
        self._others: dict[int, list[int]] = {}  # by the number of the key

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: str, place: int) -> None:
        """Add a place of a key."""
        number = self._keys.add(key)
        if number == len(self._first):
            self._first.append(place)
        else:
            self._others.setdefault(number, []).append(place)

    def find(self, key: str) -> list[int]:
        """Return the places of a key in the order in which they were added."""
        number = self._keys.find(key)
        return [] if number is None else self.list_all(number)

    def list_all(self, number: int) -> list[int]:
        """Return the places of the key of this number."""
        return [self._first[number], *self._others.get(number, ())]


def _make_digest(key: str) -> tuple[int, int]:
    digest = blake2b(key.encode(errors="surrogatepass"), digest_size=_DIGEST.size).digest()
    first, second = _DIGEST.unpack(digest)
    return first, second
