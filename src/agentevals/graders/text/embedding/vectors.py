"""A vector for every piece of a text, out of a file of half floats (safetensors)."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from struct import Struct

_NAME = "embedding.weight"
_LENGTH = Struct("<Q")
_AT_ONCE = 512  # vectors that are unpacked at a time


class Vectors:
    """As many vectors as there are pieces, each of the same length."""

    def __init__(self, data: bytes, *, rows: int) -> None:
        if len(data) < _LENGTH.size:
            msg = "its weights are cut off"
            raise ValueError(msg)
        start = _LENGTH.size + int(_LENGTH.unpack_from(data)[0])
        table = json.loads(data[_LENGTH.size : start])[_NAME]
        count, self._columns = table["shape"]
        if table["dtype"] != "F16" or count != rows:
            msg = "its weights are of another kind than those known here"
            raise ValueError(msg)
        self._row = Struct(f"<{self._columns}e")
        self._data, self._start = data, start + table["data_offsets"][0]
        if len(data) < self._start + count * self._row.size:
            msg = "its weights are cut off"
            raise ValueError(msg)

    def mean(self, tokens: Iterable[int]) -> list[float]:
        """The mean of the vectors; where there are none, a vector of length 0."""
        often = Counter(tokens)
        total, rest = [0.0] * self._columns, iter(often.items())
        while taken := [self._read_vector(*token) for token in islice(rest, _AT_ONCE)]:
            total = [sum(column) for column in zip(total, *taken, strict=True)]
        count = often.total() or 1
        return [value / count for value in total]

    def _read_vector(self, token: int, times: int) -> Sequence[float]:
        row = self._row.unpack_from(self._data, self._start + token * self._row.size)
        return row if times == 1 else [times * value for value in row]
