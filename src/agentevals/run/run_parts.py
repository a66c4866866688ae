"""A part of a run in a file: its cases, and all that is needed to put it together with others.

It holds data only, and is read strictly: whoever may write into it may have written anything.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import Struct
from typing import BinaryIO, NoReturn, TypeVar

import msgspec

from agentevals.files import atomic_files
from agentevals.files.spool import encode
from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.model.shards import Shard
from agentevals.model.transcripts import KeptCase
from agentevals.run.run_costs import Spent
from agentevals.run.run_frame import Frame
from agentevals.run.run_totals import Judged, Rest
from agentevals.run.run_transcripts import check_transcript
from agentevals.text.redaction import Redactor, redact_texts
from agentevals.text.terminal import plain

_MAGIC = b"agentevals part 1\n"
_SIZE = Struct("<Q")
_PIECE = 1 << 20
_DIGEST = hashlib.sha256().digest_size
_SHOWN = 300  # characters of a complaint

Found = TypeVar("Found")


class Foot(Noun, frozen=True, omit_defaults=False):
    """The end of a part: which one of how many it is, and of what."""

    shard: str
    config: str  # its name, as pages show it
    output: str  # the format that is printed where nobody asks for another
    traces: str  # a digest of all files
    agent: str  # one of the agent's files, if the config lists them
    frame: Frame
    rest: Rest
    cases: int = 0
    duration_ms: float = 0.0


class _Line(Noun, frozen=True, omit_defaults=False):
    """A case as it is written."""

    report: KeptCase
    start_ns: int = 0
    spent: tuple[Spent, ...] = ()
    attributes: tuple[str, ...] = ()


def encode_case(judged: Judged) -> bytes:
    """Return a case as it is written into a part."""
    return encode(_Line(**judged._asdict()))


class PartWriter:
    """Writes the cases of a part one after the other."""

    def __init__(self, file: BinaryIO, hide: Redactor | None = None) -> None:
        self._file, self._digest, self._hide = file, hashlib.sha256(), hide
        self.number = 0
        self._write(_MAGIC)

    def add(self, judged: Judged) -> None:
        """Write the next case."""
        self.add_frame(encode_case(judged))

    def add_frame(self, case: bytes) -> None:
        """Write the next case, as `encode_case` returns it."""
        self._write(_SIZE.pack(len(case)) + case)
        self.number += 1

    def end(self, foot: Foot) -> None:
        """Write what is known now that all cases were judged."""
        foot = redact_texts(foot, self._hide) if self._hide else foot
        written = encode(msgspec.structs.replace(foot, cases=self.number))
        self._write(written)
        self._write(_SIZE.pack(len(written)))
        self._file.write(self._digest.digest())

    def _write(self, data: bytes) -> None:
        self._digest.update(data)
        self._file.write(data)


@contextmanager
def write(path: Path, hide: Redactor | None = None) -> Iterator[PartWriter]:
    """Yield a writer of a part; the file is there once the block ends without an error.

    The cases have no secrets any more; `hide` removes those of everything else.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_files.replacement(path, mode=0o644) as file:
            yield PartWriter(file, hide)
    except OSError as error:
        msg = f"{path}: cannot be written: {(error.strerror or str(error)).lower()}; "
        raise InputError(msg + "give another path") from None


class Part:
    """A part that was written before."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, plain(str(path), _SHOWN)
        with self._open() as file:
            end = self._check(file)
            file.seek(end - _SIZE.size)
            (size,) = _SIZE.unpack(file.read(_SIZE.size))
            self._end = end - _SIZE.size - size
            if self._end < len(_MAGIC):
                self._refuse("its parts do not fit together")
            file.seek(self._end)
            self.foot = self._decode(file.read(size), Foot)
        try:
            self.shard = Shard.parse(self.foot.shard)
        except ValueError as error:
            self._refuse(str(error))

    def list_cases(self) -> Iterator[Judged]:
        """Yield the cases in their order."""
        number = 0
        with self._open() as file:
            at = file.seek(len(_MAGIC))
            while at < self._end:
                (size,) = _SIZE.unpack(file.read(_SIZE.size))
                at += _SIZE.size + size
                if at > self._end:
                    self._refuse("a case is longer than the file")
                line = self._decode(file.read(size), _Line)
                number += 1
                report = check_transcript(line.report)
                yield Judged(report, line.start_ns, line.spent, line.attributes)
        if number != self.foot.cases:
            self._refuse(f"it says {self.foot.cases:,} cases and has {number:,}")

    def _open(self) -> BinaryIO:
        try:
            return self.path.open("rb")
        except (OSError, ValueError) as error:  # a ValueError is a NUL in the path
            why = getattr(error, "strerror", None) or str(error)
            msg = f"{self.name}: cannot be read: {why.lower()}"
            raise InputError(msg) from None

    def _check(self, file: BinaryIO) -> int:
        """Return where the digest begins at the end of the file, and compare it."""
        size = file.seek(0, 2)
        file.seek(0)
        if file.read(len(_MAGIC)) != _MAGIC:
            msg = f"{self.name}: is no part of a run; give what 'agentevals run --shard' writes"
            raise InputError(msg)
        left = size - len(_MAGIC) - _DIGEST
        if left < _SIZE.size:
            self._refuse("it is cut off")
        digest = hashlib.sha256(_MAGIC)
        while left and (piece := file.read(min(left, _PIECE))):
            digest.update(piece)
            left -= len(piece)
        if file.read() != digest.digest():
            self._refuse("it is cut off, or was changed")
        return size - _DIGEST

    def _decode(self, data: bytes, kind: type[Found]) -> Found:
        try:
            return msgspec.msgpack.decode(data, type=kind)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            self._refuse(plain(str(error), _SHOWN))

    def _refuse(self, why: str) -> NoReturn:
        msg = f"{self.name}: is damaged: {why}; make this part again"
        raise InputError(msg) from None
