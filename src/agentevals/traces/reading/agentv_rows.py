"""Rows of AgentV: messages as one trace, how a test failed, and the files that a row names."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from agentevals.files.named_files import contains
from agentevals.model.conversations import Trace
from agentevals.traces.attribute_values import word
from agentevals.traces.reading import MalformedError, agentv_turns, read_records
from agentevals.traces.reading.trace_files_opened import UNREADABLE, Recording, open_trace

Fields = dict[str, Any]
Read = TypeVar("Read")

# of a row; what else stands in it is the message
_AROUND = frozenset(
    {"schema_version", "test_id", "target", "message_index", "source", "capture"}
    | {"transcript_token_usage", "transcript_duration_ms", "transcript_cost_usd"}
)
_AFTER_THE_AGENT = frozenset({"evaluator", "teardown"})
_LONGEST = 500  # characters of an error
_TRANSCRIPTS, _ANSWERS = ("transcript_path",), ("answer_path", "response_path", "output_path")
_MOST = 1 << 30  # bytes
_HIDDEN = ".internal"  # where newer releases keep the index; its paths begin outside


def build_trace(rows: Sequence[Fields], test_id: str, source: str) -> Trace:
    """Return the trace of the rows of one test."""
    first, origin = rows[0], rows[0].get("source")
    about = origin if isinstance(origin, dict) else {}
    told = agentv_turns.read_totals(
        first,
        usage="transcript_token_usage",
        cost="transcript_cost_usd",
        duration="transcript_duration_ms",
        model=word(about.get("model")),
        agent=word(first.get("target")),
    )
    session = word(about.get("session_id"))
    name = test_id or session or source
    messages = [
        {key: value for key, value in row.items() if key not in _AROUND}
        for row in sorted(rows, key=_index)
    ]
    return Trace(
        trace_id=name,
        turns=agentv_turns.build_turns(messages, name, told),
        # whoever imports a session without naming a test gets the session's id there
        case_id="" if test_id == session else test_id,
        sources=(source,),
    )


def _index(row: Fields) -> float:
    index = row.get("message_index")
    return index if isinstance(index, int | float) and not isinstance(index, bool) else 0


def read_failure(row: Fields) -> tuple[str, list[str]]:
    """Return why there is nothing to score, or what is worth knowing although there is."""
    status, stage = row.get("execution_status"), word(row.get("failure_stage"))
    told = row.get("error")
    why = (word(told.get("message")) if isinstance(told, dict) else word(told))[:_LONGEST]
    warnings = []
    trials = row.get("trials")
    if isinstance(trials, list) and len(trials) > 1:
        warnings.append(f"{len(trials)} trials were run; the answer of one of them is recorded")
    if status != "execution_error" and (not why or status is not None):
        return "", warnings
    if stage in _AFTER_THE_AGENT:
        return "", [*warnings, f"AgentV could not score it ({stage}): {why}"]
    where = f" ({stage})" if stage else ""
    return f"AgentV could not run it{where}: {why or 'it does not say why'}", warnings


def read_transcript(recording: Recording, row: Fields) -> list[Fields] | None:
    """Return the messages of a row, if they are there."""
    path = _find_file(
        recording, [*_read_names(row, _TRANSCRIPTS), *_read_pointer(row, "transcript")]
    )
    return _read(path, _rows) if path else None


def read_answer(recording: Recording, row: Fields) -> str | None:
    """Return the text of the answer of a row, if it is there."""
    path = _find_file(recording, [*_read_names(row, _ANSWERS), *_read_pointer(row, "answer")])
    return (
        _read(path, partial(Path.read_text, encoding="utf-8", errors="replace")) if path else None
    )


def explain_missing(row: Fields) -> str:
    """Return why there is nothing to score in a row that holds no answer itself."""
    named = [*_read_names(row, (*_TRANSCRIPTS, *_ANSWERS)), *_read_pointer(row, "transcript")]
    if named:
        shown = ", ".join(name[:80] for name in named[:2])
        return f"the answer is not beside the results, in {shown}; give the whole folder of the run"
    return "the row holds neither an answer nor messages; record it again with them"


def _read(path: Path, read: Callable[[Path], Read]) -> Read:
    try:
        return read(path)
    except UNREADABLE as error:
        msg = f"{path.name} cannot be read: {error}"
        raise MalformedError(msg) from error


def _rows(path: Path) -> list[Fields]:
    """Return all of them: a transcript that lacks a message is another one."""
    rows = []
    with open_trace(path) as stream:
        for record in read_records(stream):
            row = record.document
            if not isinstance(row, dict) or not isinstance(row.get("role"), str):
                msg = f"{path.name}:{record.line or 1} {record.unlike('a message')}"
                raise MalformedError(msg)
            rows.append(row)
    return rows


def _read_names(row: Fields, keys: tuple[str, ...]) -> list[str]:
    return [name for key in keys if (name := word(row.get(key)))]


def _read_pointer(row: Fields, name: str) -> list[str]:
    pointers = row.get("artifact_pointers")
    pointer = pointers.get(name) if isinstance(pointers, dict) else None
    return _read_names(pointer, ("path",)) if isinstance(pointer, dict) else []


def _count(recording: Recording, path: Path) -> None:
    """One large file that each of many rows names would be read without end."""
    size = path.stat().st_size
    recording.size += size
    recording.size_beside += size
    if recording.size_beside > _MOST:
        msg = f"the files that its rows name come to more than {_MOST >> 30} GiB; give fewer runs"
        raise MalformedError(msg)


def _find_file(recording: Recording, names: list[str]) -> Path | None:
    """Return the first that is a file in the folder of the run: a row cannot lead anywhere else."""
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
