"""Trace file formats. To add one: write a module with `matches` and `load`, then list it here."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

from agentevals.files.named_files import pause_garbage_collection
from agentevals.model.conversations import Trace
from agentevals.model.plugins import Table
from agentevals.model.results import Blame, Finding, Severity
from agentevals.traces.loaders.trace_file_pieces import add_pieces, add_traces, find_pieces
from agentevals.traces.reading import EmptyError, MalformedError, NoTraceError, Record, read_records
from agentevals.traces.reading.trace_files_opened import (
    MALFORMED,
    UNREADABLE,
    Recording,
    explain_damage,
    open_trace,
)
from agentevals.traces.reading.trace_joining import JoinedTraces
from agentevals.traces.reading.trace_unpacking import DAMAGED, MissingPackageError

_ENDINGS = (".json", ".jsonl", ".ndjson", ".pb", ".binpb", ".otlp")
_EVAL_SET = {"eval_set_id", "eval_cases", "evalSetId", "evalCases"}
_LINE_BY_LINE = "otlp-json"  # no line of it says what another one means
_PIECE = 2**20  # bytes


class Loader(Protocol):
    """The interface of a loader module."""

    def matches(self, record: Record) -> bool:
        """Return whether the first record of a file is in this format."""
        ...

    def load(self, recording: Recording) -> Iterator[Trace]:
        """Return the traces of a file, or pieces of them; most read them with `Recording.each`.

        What `MALFORMED` lists may be raised for what cannot be read.
        """
        ...


LOADERS: Table[Loader] = Table(
    "trace format",
    {
        "otlp-json": "agentevals.traces.loaders.otlp_json",
        "jaeger-json": "agentevals.traces.loaders.jaeger_json",
        "adk-evalset-result": "agentevals.traces.loaders.adk_evalset_result",
        "agentv-results": "agentevals.traces.loaders.agentv_results",
        "agentv-trace": "agentevals.traces.loaders.agentv_trace",
        "agentv-transcript": "agentevals.traces.loaders.agentv_transcript",
        "claude-code": "agentevals.traces.loaders.claude_code",
        "codex": "agentevals.traces.loaders.codex",
        "copilot": "agentevals.traces.loaders.copilot",
        "langfuse": "agentevals.traces.loaders.langfuse",
        "phoenix-spans": "agentevals.traces.loaders.phoenix_spans",
        "uipath-output": "agentevals.traces.loaders.uipath_output",
        "uipath-trace": "agentevals.traces.loaders.uipath_trace",
        "transcript": "agentevals.traces.loaders.transcript",
        "otlp-protobuf": "agentevals.traces.loaders.otlp_protobuf",
    },
    group="agentevals.loaders",
)


@dataclass(frozen=True)
class Recordings:
    """Every trace that was recorded, and what there is to say about the files it came from."""

    traces: Sequence[Trace]
    findings: tuple[Finding, ...] = ()


def load(paths: Sequence[Path], *, trace_format: str | None = None) -> Recordings:
    """Read all files, in the given format or in the one that each of them shows.

    What cannot be read is a finding; everything else is still there.
    """
    if trace_format:
        LOADERS[trace_format]  # an unknown format is said before anything is read
    files, joined = Files(paths), JoinedTraces()
    findings: list[Finding] = []
    with pause_garbage_collection():
        for path in files:
            named = files.was_named(path)
            findings += read_file(Recording(path), joined, trace_format, was_named=named)
        joined.seal()
    return Recordings(joined, (*files.findings, *findings, *joined.findings()))


def read_file(
    recording: Recording, joined: JoinedTraces, trace_format: str | None, *, was_named: bool
) -> Iterator[Finding]:
    """Add the traces of a file; return what there is to say about it."""
    try:
        with open_trace(recording.path) as stream:
            found = read_records(stream)
            loader, seen = _choose_loader(found, trace_format)
            recording.records = chain(seen, found)
            _add(loader, recording, seen[0], joined)
    except UNREADABLE as error:
        is_gone = isinstance(error, FileNotFoundError)
        rule = "no-trace-file" if is_gone else "unreadable-trace"
        recording.report(_explain_unreadable(error), rule=rule)
    except NoTraceError as error:
        severity = Severity.ERROR if was_named else Severity.WARNING
        recording.report(str(error), rule="no-trace", severity=severity)
    except EmptyError as error:
        recording.report(str(error), rule="empty-trace")
    except MALFORMED as error:
        recording.refuse(error)
    return recording.findings


def _explain_unreadable(error: Exception) -> str:
    if isinstance(error, DAMAGED):
        return explain_damage(error)
    if isinstance(error, MissingPackageError):
        return str(error)
    why = getattr(error, "strerror", None) or str(error)
    return f"cannot be read: {why[:1].lower()}{why[1:]}; check the file"


def _add(loader: Loader, recording: Recording, first: Record, joined: JoinedTraces) -> None:
    is_apart = loader is LOADERS[_LINE_BY_LINE]
    if pieces := find_pieces(recording.path, first) if is_apart else ():
        count = add_pieces(pieces, loader.load, recording, joined)
    else:
        count = add_traces(loader.load(recording), recording, joined)
    if not count and not recording.has_errors:
        msg = "holds no traces; record them again or remove the file"
        raise NoTraceError(msg)


def _choose_loader(
    found: Iterator[Record], trace_format: str | None
) -> tuple[Loader, list[Record]]:
    """The loader for a file, and the records that were looked at: the second may be sound
    where the first is not."""
    seen: list[Record] = []
    for record in islice(found, 2):
        seen.append(record)
        if loader := _find_loader(record, trace_format):
            return loader, seen
        if not record.trouble:
            break
    raise _explain_misfit(seen[0], trace_format)


def _find_loader(record: Record, trace_format: str | None) -> Loader | None:
    names = (trace_format,) if trace_format else LOADERS
    return next((LOADERS[name] for name in names if LOADERS[name].matches(record)), None)


def _explain_misfit(record: Record, trace_format: str | None) -> MalformedError:
    if record.trouble:
        return record.trouble
    if not trace_format:
        found = record.document
        if isinstance(found, dict) and found.keys() & _EVAL_SET:
            msg = "is an eval set, not a trace file; give it with --eval-set"
            return NoTraceError(msg)
        known = f"known formats are {', '.join(LOADERS)}"
        return NoTraceError(str(record.unlike("a trace file", known)))
    other = next((name for name in LOADERS if LOADERS[name].matches(record)), None)
    if not other:
        return record.unlike(trace_format)
    return record.unlike(trace_format, f"it looks like {other}, which is found without --format")


class Files:
    """The files that were named. Walk them once; `findings` is then complete."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.findings: list[Finding] = []
        self._named = tuple(paths)

    def __iter__(self) -> Iterator[Path]:
        return self._skip_repeated([path for named in self._named for path in self._unfold(named)])

    def was_named(self, path: Path) -> bool:
        """Return whether the user named this file, and not only its folder."""
        return path in self._named

    def _unfold(self, path: Path) -> list[Path]:
        try:
            inside = [file for file in sorted(path.iterdir()) if _may_be_trace(file)]
        except (OSError, ValueError):  # not a folder; opening it says what else is wrong
            return [path]
        if not inside:
            why = f"is a folder without trace files ({', '.join(_ENDINGS)}); name the files to read"
            self._report(Severity.ERROR, "no-trace-file", why, path)
        return inside

    def _skip_repeated(self, paths: list[Path]) -> Iterator[Path]:
        """Only files of equal size are compared, so that most are read once."""
        sizes = [measure(path) for path in paths]
        alike = Counter(sizes)
        first: dict[bytes, Path] = {}
        for path, size in zip(paths, sizes, strict=True):
            if size is None or alike[size] == 1:
                yield path
                continue
            digest = _digest(path)
            same = first.get(digest)
            if same is None:
                first[digest] = path
                yield path
            else:
                why = "was given before" if same == path else f"has the same content as {same}"
                self._report(Severity.WARNING, "repeated-file", f"{why}; counted once", path)

    def _report(self, severity: Severity, rule: str, message: str, path: Path) -> None:
        blame = Blame.INPUT if severity is Severity.ERROR else None
        self.findings.append(
            Finding(severity=severity, rule=rule, message=message, path=str(path), blame=blame)
        )


def _may_be_trace(path: Path) -> bool:
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    return name.endswith(_ENDINGS) and not name.startswith(".") and path.is_file()


def measure(path: Path) -> int | None:
    """Return the size of a file; None for one that is empty or missing, and for a pipe."""
    try:
        return (path.stat().st_size or None) if path.is_file() else None
    except (OSError, ValueError):
        return None


def digest_files(paths: Sequence[Path]) -> str:
    """Return one digest of the names of trace files and of all that is in them."""
    digest = hashlib.sha256()
    for path in Files(paths):
        digest.update(hashlib.sha256(str(path).encode(errors="replace")).digest() + _digest(path))
    return digest.hexdigest()


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError:
        return str(path).encode()
    return digest.digest()
