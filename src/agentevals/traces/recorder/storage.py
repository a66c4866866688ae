"""Storage of recorded traces while a command runs, and their final files."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Self

from agentevals.model.errors import InputError
from agentevals.text.json_ import encode
from agentevals.traces.recorder.bodies import Piece

_MOST_TRACES = 100_000
_MOST_BYTES = 16 * 2**30


@dataclass
class Counts:
    """Numbers of received records, and of those that could not be kept."""

    requests: int = 0
    traces: int = 0
    records: int = 0
    without_trace: int = 0
    beyond_limits: int = 0
    refused: int = 0
    refusal: str = ""


class Storage:
    """One growing file per trace, in a folder of its own until the recording is finished.

    File names are trace ids, which are 32 hexadecimal digits: nothing that an agent says.
    """

    def __init__(self, target: Path) -> None:
        self.counts = Counts()
        self._target = target
        self._lock = threading.Lock()
        self._order: dict[str, None] = {}
        self._bytes = 0

    def __enter__(self) -> Self:
        folder = self._folder
        try:
            blocked = self._target.is_dir() if self._is_one_file else self._target.is_file()
            if blocked:
                msg = f"{self._target}: is in the way; choose another place with -o"
                raise InputError(msg)
            folder.mkdir(parents=True, exist_ok=True)
            self._temporary = TemporaryDirectory(dir=folder, prefix=".recording-")
        except OSError as error:
            raise self._explain_unwritable(error) from None
        return self

    def __exit__(self, *_error: object) -> None:
        self._temporary.cleanup()

    @property
    def _is_one_file(self) -> bool:
        return self._target.suffix == ".jsonl"

    @property
    def _folder(self) -> Path:
        return self._target.parent if self._is_one_file else self._target

    def refuse(self, why: str) -> None:
        """Count a request of which nothing could be read."""
        with self._lock:
            self.counts.refused += 1
            self.counts.refusal = why

    def add(self, pieces: Iterable[Piece]) -> int:
        """Store the records, and return how many of them could not be kept."""
        refused = 0
        with self._lock:
            self.counts.requests += 1
            for piece in pieces:
                refused += 0 if self._add(piece) else piece.records
        return refused

    def _add(self, piece: Piece) -> bool:
        if not piece.trace_id:
            self.counts.without_trace += piece.records
            return False
        line = encode(piece.document) + b"\n"
        self._bytes += len(line)
        is_new = piece.trace_id not in self._order
        if self._bytes > _MOST_BYTES or (is_new and len(self._order) >= _MOST_TRACES):
            self.counts.beyond_limits += piece.records
            return False
        self._order.setdefault(piece.trace_id)
        self.counts.traces = len(self._order)
        with self._path(piece.trace_id).open("ab") as file:
            file.write(line)
        self.counts.records += piece.records
        return True

    def _path(self, trace_id: str) -> Path:
        return Path(self._temporary.name) / f"{trace_id}.jsonl"

    def finish(self) -> tuple[Path, ...]:
        """Put the files in their place, in the order in which the traces began to arrive."""
        with self._lock:
            try:
                return self._move_files()
            except OSError as error:  # the command may have removed the folder, or filled the disk
                raise self._explain_unwritable(error) from None

    def _move_files(self) -> tuple[Path, ...]:
        if self._is_one_file and self._order:
            return (self._join_files(),)
        moved = []
        for trace_id in self._order:
            place = self._folder / f"{trace_id}.jsonl"
            self._path(trace_id).replace(place)
            moved.append(place)
        return tuple(moved)

    def _explain_unwritable(self, error: OSError) -> InputError:
        why = f"cannot be written to: {error.strerror}; choose another place with -o"
        return InputError(f"{self._folder}: {why}")

    def _join_files(self) -> Path:
        whole = Path(self._temporary.name) / "all"
        with whole.open("wb") as file:
            for trace_id in self._order:
                with self._path(trace_id).open("rb") as part:
                    copyfileobj(part, file)
        whole.replace(self._target)
        return self._target
