"""A sequence that may outgrow memory: it moves to a temporary file past a budget of bytes."""

import os
import tempfile
import weakref
import zlib
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar, overload

import msgspec

from agentevals.model.errors import UnavailableError
from agentevals.text.json_text import unfold

BUDGET = 24 * 2**20  # of encoded items; in memory they take two to three times as much
_FLUSH = 2**20
_CHUNK = 2**13  # numbers of a column that are written at once
_DEEPEST = 200  # levels of nesting that are kept
_WIDEST = 2**63  # msgpack has no integers beyond it
_LONGEST = 10_000  # bits; Python refuses to write much longer integers in decimal
UNSTORABLE = (OverflowError, RecursionError, UnicodeEncodeError)
_encode = msgspec.msgpack.Encoder(enc_hook=unfold).encode

Item = TypeVar("Item", bound=msgspec.Struct | tuple[Any, ...])


class Spool(Sequence[Item], Generic[Item]):
    """Append-only. One thread writes; any number may read what is there once it has ended.

    On disk an item is one msgpack frame in a file without a name, which disappears with the
    process whatever happens to it.
    """

    def __init__(
        self,
        kind: type[Item],
        *,
        budget: int = BUDGET,
        exact: bool = False,
        shorten: Callable[[Item], Item] | None = None,
        restore: Callable[[Item], Item] | None = None,
    ) -> None:
        """With `exact`, what cannot be kept as it is raises an error, and is not changed.

        What goes to disk is what `shorten` makes of an item, of which `restore` makes it again.
        """
        self._kind, self._room = kind, budget
        self._write = _encode if exact else encode
        self._shorten, self._restore = shorten, restore
        self._items: list[Item] = []
        self._frames: _Frames[Item] | None = None

    def append(self, item: Item, *, weight: int | None = None) -> None:
        """Add one item. `weight` is its size in bytes, for those who know it without looking."""
        if self._frames is not None:
            self._frames.append(self._encode(item))
            return
        self._items.append(item)
        self._room -= len(self._encode(item)) if weight is None else weight
        if self._room < 0:
            self._move()

    def append_frame(self, frame: bytes) -> None:
        """Add an item that was shortened and written by `encode`. Nobody needs it in memory."""
        frames = self._move() if self._frames is None else self._frames
        frames.append(frame)

    def _move(self) -> "_Frames[Item]":
        """Move what there is to a file."""
        self._frames = frames = _Frames(self._kind)
        for each in self._items:
            frames.append(self._encode(each))
        self._items = []
        return frames

    def _encode(self, item: Item) -> bytes:
        return self._write(self._shorten(item) if self._shorten else item)

    @property
    def is_on_disk(self) -> bool:
        """True once the items have moved to a file."""
        return self._frames is not None

    def measure(self) -> Iterator[int]:
        """Yield the size of each item as it is written to disk, in bytes."""
        if self._frames is None:
            yield from (len(self._encode(item)) for item in self._items)
        else:
            yield from self._frames.measure()

    def flush(self) -> None:
        """Write what is not on disk yet, so that a process forked from this one can read it."""
        if self._frames is not None:
            self._frames.flush()

    def pack(self) -> "PackedItems":
        """Return all items as a few bytes of each, for another process."""
        frames = self._move() if self._frames is None else self._frames
        return frames.pack()

    def append_packed(self, packed: "PackedItems") -> None:
        """Add the items that another process has packed."""
        frames = self._move() if self._frames is None else self._frames
        frames.append_packed(packed)

    def __len__(self) -> int:
        return len(self._items if self._frames is None else self._frames)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if self._frames is None:
            return self._items[index]
        found = self._frames.read(index)
        return self._restore(found) if self._restore else found

    def __iter__(self) -> Iterator[Item]:
        return (self[index] for index in range(len(self)))


class PackedItems(NamedTuple):
    """The items of a spool, compressed, and the end of each."""

    frames: bytes
    ends: bytes


class Column(Collection[float]):
    """Numbers that are appended, and walked over: a long column lies in a file."""

    def __init__(self) -> None:
        self._last, self._written = array("d"), 0
        self._file: int | None = None

    def append(self, number: float) -> None:
        """Add a number."""
        self._last.append(number)
        if len(self._last) >= _CHUNK:
            self._write_chunk()

    def join(self, later: "Column") -> None:
        """Add the numbers of a short column."""
        self._last.extend(later._last)  # noqa: SLF001 -- of this class
        if len(self._last) >= _CHUNK:
            self._write_chunk()

    def _write_chunk(self) -> None:
        if self._file is None:
            self._file = _open_nameless_file()
            weakref.finalize(self, os.close, self._file)
        _write_all(self._file, self._last[:_CHUNK].tobytes())
        self._written += _CHUNK
        self._last = self._last[_CHUNK:]

    def __contains__(self, number: object) -> bool:
        return any(each == number for each in self)

    def __len__(self) -> int:
        return self._written + len(self._last)

    def __iter__(self) -> Iterator[float]:
        size = _CHUNK * self._last.itemsize
        for start in range(0, self._written * self._last.itemsize, size):
            yield from array("d", os.pread(self._file or 0, size, start))
        yield from self._last


def encode(item: msgspec.Struct | tuple[Any, ...]) -> bytes:
    """Return an item as it is kept."""
    try:
        return _encode(item)
    except UNSTORABLE:  # what an evaluator or a trace put into a field of type Any
        return _encode(make_storable(item))


def make_storable(value: Any, *, depth: int = _DEEPEST) -> Any:
    """Return the value with what msgpack and UTF-8 cannot hold written in another way."""
    if isinstance(value, msgspec.Struct):
        members = ((name, getattr(value, name)) for name in value.__struct_fields__)
        value = {name: member for name, member in members if member is not msgspec.UNSET}
    if isinstance(value, dict | list | tuple) and not depth:
        return "(nested too deeply)"
    if isinstance(value, dict):
        return {
            _clean_text(str(k)): make_storable(item, depth=depth - 1) for k, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [make_storable(item, depth=depth - 1) for item in value]
    if isinstance(value, int) and not -_WIDEST <= value < _WIDEST:
        return str(value) if value.bit_length() < _LONGEST else f"{value:#x}"
    return _clean_text(value) if isinstance(value, str) else value


def _clean_text(text: str) -> str:
    """Write half a character (a lone surrogate) as a question mark."""
    return text if text.isascii() else text.encode(errors="replace").decode()


class _Frames(Generic[Item]):
    def __init__(self, kind: type[Item]) -> None:
        self._file = _open_nameless_file()
        weakref.finalize(self, os.close, self._file)
        self._ends = array("Q")
        self._pending, self._written = bytearray(), 0
        self._lock = Lock()
        self._decode = msgspec.msgpack.Decoder(kind).decode

    def append(self, frame: bytes) -> None:
        with self._lock:
            self._pending += frame
            self._ends.append(self._written + len(self._pending))
            if len(self._pending) >= _FLUSH:
                self._flush()

    def __len__(self) -> int:
        return len(self._ends)

    def measure(self) -> Iterator[int]:
        before = 0
        for end in self._ends:
            yield end - before
            before = end

    def read(self, index: int) -> Item:
        end = self._ends[index]
        start = self._ends[index - 1] if index not in {0, -len(self._ends)} else 0
        if end > self._written:
            self.flush()
        found: Item = self._decode(os.pread(self._file, end - start, start))
        return found

    def pack(self) -> PackedItems:
        self.flush()
        packer, packed = zlib.compressobj(1), bytearray()
        for start in range(0, self._written, _FLUSH):
            packed += packer.compress(os.pread(self._file, _FLUSH, start))
        packed += packer.flush()
        return PackedItems(bytes(packed), zlib.compress(self._ends.tobytes(), 1))

    def append_packed(self, packed: PackedItems) -> None:
        ends = array("Q")
        ends.frombytes(zlib.decompress(packed.ends))
        with self._lock:
            self._flush()
            before = self._written
            for piece in _unpack(packed.frames):
                _write_all(self._file, piece)
                self._written += len(piece)
            self._ends.extend([before + end for end in ends])

    def flush(self) -> None:
        with self._lock:
            self._flush()

    def _flush(self) -> None:
        _write_all(self._file, self._pending)
        self._written += len(self._pending)
        self._pending = bytearray()


def _unpack(frames: bytes) -> Iterator[bytes]:
    """Yield the frames in pieces, however large they are together."""
    unpacker, rest = zlib.decompressobj(), frames
    while rest:
        yield unpacker.decompress(rest, _FLUSH)
        rest = unpacker.unconsumed_tail
    yield unpacker.flush()


def _write_all(file: int, data: bytes | bytearray) -> None:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as error:
        raise _make_error(error) from error


def _open_nameless_file() -> int:
    try:
        descriptor, name = tempfile.mkstemp(prefix="agentevals-")
    except OSError as error:
        raise _make_error(error) from error
    os.unlink(name)  # noqa: PTH108 -- a name from tempfile, not a path of ours
    return descriptor


def _make_error(error: OSError) -> UnavailableError:
    why = (error.strerror or str(error)).lower()
    return UnavailableError(
        f"cannot store data that does not fit into memory in {tempfile.gettempdir()}: {why}; "
        "set TMPDIR to a folder with more room"
    )
