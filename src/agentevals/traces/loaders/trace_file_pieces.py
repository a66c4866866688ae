"""Long files of lines that stand for themselves: their pieces are read on every core."""

import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agentevals.files import named_files
from agentevals.files.storage import Remote
from agentevals.files.workers import MOST_PARTS, can_fork, count_cores, do_parts
from agentevals.model.conversations import Trace
from agentevals.traces.reading import Record
from agentevals.traces.reading.trace_files_opened import Recording
from agentevals.traces.reading.trace_joining import JoinedTraces, Packed, pack

_PIECE = 2**20  # bytes
_WORTH_IT = 2**23  # bytes, below which another process costs more than it saves

Load = Callable[[Recording], Iterator[Trace]]


def find_pieces(path: Path, first: Record) -> list[range]:
    """Return where the pieces of a file lie; none if it is short, or not as it is read."""
    is_here = path.is_file() and not isinstance(path, Remote)
    if first.line is None or count_cores() == 1 or not can_fork() or not is_here:
        return []
    with open(path, "rb", opener=named_files.open_readable) as file:
        size = os.fstat(file.fileno()).st_size
        if size < _WORTH_IT or file.read(len(first.data)) != first.data:
            return []  # what is packed, or has another encoding, is read from its beginning
        length = max(_PIECE, -(-size // (MOST_PARTS - 1)))
        ends = [0]
        while ends[-1] < size:
            file.seek(min(ends[-1] + length, size))
            file.readline()
            ends.append(file.tell())
    return list(map(range, ends, ends[1:]))


def add_pieces(
    pieces: Sequence[range], load: Load, recording: Recording, joined: JoinedTraces
) -> int:
    """Add the traces of all pieces as if they had been read one after the other; count them."""

    def read(part: int) -> tuple[int, Packed | None]:
        data = _take(recording.path, pieces[part])
        alone = Recording(recording.path, recording.name)
        alone.records = _list_records(data, 0)
        packed = pack(load(alone))
        return data.count(b"\n"), None if any(alone.findings) else packed

    above = count = 0
    for piece, (lines, packed) in zip(
        pieces, do_parts(read, len(pieces), count_cores()), strict=True
    ):
        if packed is not None:
            joined.add_packed(packed)
            count += len(packed.keys)
        else:  # what is said about it names its lines
            recording.records = _list_records(_take(recording.path, piece), above)
            count += add_traces(load(recording), recording, joined)
        above += lines
    return count


def add_traces(traces: Iterator[Trace], recording: Recording, joined: JoinedTraces) -> int:
    """Add what is read of a recording, and count it."""
    weighed = count = 0
    for trace in traces:
        weight, weighed = recording.size - weighed, recording.size
        joined.add(trace, weight=weight if weighed else None)
        count += 1
    return count


def _take(path: Path, piece: range) -> bytes:
    with open(path, "rb", opener=named_files.open_readable) as file:
        file.seek(piece.start)
        return file.read(len(piece))


def _list_records(data: bytes, above: int) -> Iterator[Record]:
    numbered = enumerate(io.BytesIO(data), start=above + 1)
    return (Record(line, number) for number, line in numbered if line.strip())
