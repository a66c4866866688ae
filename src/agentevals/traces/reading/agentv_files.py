"""The files that AgentV keeps beside the index of a run, and a row of the index names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from agentevals.files.reading import contains
from agentevals.traces.reading.json_text import MalformedError
from agentevals.traces.reading.recording import UNREADABLE, Recording
from agentevals.traces.reading.records import opened, records
from agentevals.traces.spans.values import word

Fields = dict[str, Any]
Read = TypeVar("Read")

_TRANSCRIPTS, _ANSWERS = ("transcript_path",), ("answer_path", "response_path", "output_path")
_MOST = 1 << 30  # bytes
_HIDDEN = ".internal"  # where newer releases keep the index; its paths begin outside


def transcript(recording: Recording, row: Fields) -> list[Fields] | None:
    """The messages of a row, if they are there."""
    path = _there(recording, [*_named(row, _TRANSCRIPTS), *_pointed(row, "transcript")])
    return _readable(path, _rows) if path else None


def answer(recording: Recording, row: Fields) -> str | None:
    """The text of the answer of a row, if it is there."""
    path = _there(recording, [*_named(row, _ANSWERS), *_pointed(row, "answer")])
    return _readable(path, _text) if path else None


def complaint(row: Fields) -> str:
    """Why there is nothing to score in a row that holds no answer itself."""
    named = [*_named(row, (*_TRANSCRIPTS, *_ANSWERS)), *_pointed(row, "transcript")]
    if named:
        shown = ", ".join(name[:80] for name in named[:2])
        return f"the answer is not beside the results, in {shown}; give the whole folder of the run"
    return "the row holds neither an answer nor messages; record it again with them"


def _readable(path: Path, read: Callable[[Path], Read]) -> Read:
    try:
        return read(path)
    except UNREADABLE as error:
        msg = f"{path.name} cannot be read: {error}"
        raise MalformedError(msg) from error


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _rows(path: Path) -> list[Fields]:
    """All of them: a transcript that lacks a message is another one."""
    rows = []
    with opened(path) as stream:
        for record in records(stream):
            row = record.document
            if not isinstance(row, dict) or not isinstance(row.get("role"), str):
                msg = f"{path.name}:{record.line or 1} {record.unlike('a message')}"
                raise MalformedError(msg)
            rows.append(row)
    return rows


def _named(row: Fields, keys: tuple[str, ...]) -> list[str]:
    return [name for key in keys if (name := word(row.get(key)))]


def _pointed(row: Fields, name: str) -> list[str]:
    pointers = row.get("artifact_pointers")
    pointer = pointers.get(name) if isinstance(pointers, dict) else None
    return _named(pointer, ("path",)) if isinstance(pointer, dict) else []


def _count(recording: Recording, path: Path) -> None:
    """One large file that each of many rows names would be read without end."""
    size = path.stat().st_size
    recording.size += size
    recording.size_beside += size
    if recording.size_beside > _MOST:
        msg = f"the files that its rows name come to more than {_MOST >> 30} GiB; give fewer runs"
        raise MalformedError(msg)


def _there(recording: Recording, names: list[str]) -> Path | None:
    """The first that is a file in the folder of the run: a row cannot lead anywhere else."""
    folder = recording.path.absolute().parent
    folder = folder.parent if folder.name == _HIDDEN else folder
    for name in names:
        path = folder / name
        if _is_in(folder, path):
            _count(recording, path)
            return path
    return None


def _is_in(folder: Path, path: Path) -> bool:
    try:
        return contains(folder, path) and path.is_file()
    except (OSError, ValueError):
        return False
