"""Traces put together from the pieces in which they were recorded."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

from msgspec.structs import replace

from agentevals.files.key_numbering import Numbering
from agentevals.files.spool import BUDGET, Spool, encode
from agentevals.model.conversations import Span, Trace
from agentevals.model.provenance import read_attempt
from agentevals.model.results import Finding, Severity
from agentevals.traces.reading.langchain_requests import Witnesses

_NONE = 2**32 - 1
_OURS = "agentevals."
_SHOWN = 5  # names of files


class Packed(NamedTuple):
    """Pieces of traces as they are kept, and what is known of them without a look."""

    keys: list[str]
    origins: list[tuple[str, ...]]
    frames: list[bytes]
    names: set[str]
    witnesses: Witnesses


def pack(pieces: Iterable[Trace]) -> Packed:
    """Pack pieces of traces that have spans, so that `add_packed` adds them."""
    packed = Packed([], [], [], set(), Witnesses())
    for piece in pieces:
        _look_at(piece, packed.witnesses, packed.names)
        packed.keys.append(_find_key(piece))
        packed.origins.append(piece.sources)
        packed.frames.append(encode(_drop_repeats(piece)))
    return packed


class JoinedTraces(Sequence[Trace]):
    """Every trace once, in the order of first sight, whatever pieces it came in.

    The pieces lie in a spool and are joined when a trace is asked for. What stays in memory is
    an index of about a hundred bytes per trace.
    """

    def __init__(self, *, budget: int = BUDGET) -> None:
        self._pieces = Spool(Trace, budget=budget)
        self._previous = array("I")  # of every piece: the one before it of the same trace
        self._last = array("I")  # of every trace: its last piece
        self._origin = array("I")  # of every trace: the number of the files it came from
        self._numbers = Numbering()  # of the traces by their keys
        self._origins: dict[tuple[str, ...], int] = {}
        self.witnesses = Witnesses()
        self.own_names: set[str] = set()  # of ours, in the resources of all spans

    def add(self, piece: Trace, *, weight: int | None = None) -> None:
        """Add a piece of a trace, or all of it; `weight` as in `Spool.append`."""
        if piece.turns is not None:
            piece = self._rename_repeated(piece)
        _look_at(piece, self.witnesses, self.own_names)
        self._place(_find_key(piece), piece.sources)
        self._pieces.append(_drop_repeats(piece), weight=weight)

    def add_packed(self, packed: Packed) -> None:
        """Add pieces that another process has packed."""
        self.witnesses.join(packed.witnesses)
        self.own_names.update(packed.names)
        for key, sources, frame in zip(packed.keys, packed.origins, packed.frames, strict=True):
            self._place(key, sources)
            self._pieces.append_frame(frame)

    def _place(self, key: str, sources: tuple[str, ...]) -> None:
        """Note which trace the next piece is of."""
        number = self._numbers.add(key)
        if number == len(self._last):
            self._previous.append(_NONE)
            self._last.append(len(self._pieces))
            self._origin.append(self._origin_of(sources))
        else:
            self._previous.append(self._last[number])
            self._last[number] = len(self._pieces)
            known = list(self._origins)[self._origin[number]]
            self._origin[number] = self._origin_of(_union((known, sources)))

    @property
    def keys(self) -> Iterable[int]:
        """Return what tells the traces apart. Complete before `seal`, and empty after it."""
        return self._numbers.digests

    def seal(self) -> None:
        """Nothing more is coming: forget what is needed only to find the trace of a piece."""
        self._numbers = Numbering()
        self._pieces.flush()

    def _rename_repeated(self, trace: Trace) -> Trace:
        """Turns are complete: a second conversation of one name is another run of it."""
        name, times = trace.trace_id, 2
        while self._numbers.find(name) is not None:
            name, times = f"{trace.trace_id}~{times}", times + 1
        if name == trace.trace_id:
            return trace
        turns = tuple([replace(turn, trace_id=name) for turn in trace.turns or ()])
        return replace(trace, trace_id=name, turns=turns)

    def _origin_of(self, sources: tuple[str, ...]) -> int:
        return self._origins.setdefault(sources, len(self._origins))

    def __len__(self) -> int:
        return len(self._last)

    @overload
    def __getitem__(self, index: int) -> Trace: ...
    @overload
    def __getitem__(self, index: slice) -> list[Trace]: ...
    def __getitem__(self, index: int | slice) -> Trace | list[Trace]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        last = self._last[index]
        if self._previous[last] == _NONE:
            return self._pieces[last]
        return _join([self._pieces[piece] for piece in reversed(list(self._chain(last)))])

    def __iter__(self) -> Iterator[Trace]:
        return (self[index] for index in range(len(self)))

    def weigh(self) -> Sequence[int]:
        """Return the size of each trace in bytes, all its pieces together."""
        pieces = array("Q", self._pieces.measure())
        return array("Q", (sum(pieces[one] for one in self._chain(last)) for last in self._last))

    def _chain(self, piece: int) -> Iterator[int]:
        while piece != _NONE:
            yield piece
            piece = self._previous[piece]

    def findings(self) -> Iterator[Finding]:
        """Yield a note for traces that are split over several files."""
        return (finding for _, finding in self.list_split())

    def list_split(self) -> Iterator[tuple[str, Finding]]:
        """Yield the last of the files that traces are split over, with the note for them."""
        counts = Counter(self._origin)
        for sources, origin in self._origins.items():
            if len(sources) > 1 and (count := counts[origin]):
                first = self[self._origin.index(origin)].trace_id
                yield (
                    sources[-1],
                    Finding(
                        severity=Severity.NOTE,
                        rule="joined-trace",
                        message=_describe_split(first, count, sources),
                        path=sources[0],
                    ),
                )


def _look_at(piece: Trace, witnesses: Witnesses, names: set[str]) -> None:
    last = None
    for span in piece.spans:
        witnesses.note(span)
        if span.resource is not last:
            last = span.resource
            names.update(name for name in last if name.startswith(_OURS))


def _find_key(trace: Trace) -> str:
    """Attempts of one command are apart, although an agent may use the same ids in each."""
    attempt = read_attempt(trace.spans[0].resource) if trace.spans else 0
    return f"{trace.trace_id}~{attempt}" if attempt > 1 else trace.trace_id


def _join(pieces: list[Trace]) -> Trace:
    return _drop_repeats(
        replace(
            pieces[0],
            spans=tuple(span for piece in pieces for span in piece.spans),
            logs=tuple(log for piece in pieces for log in piece.logs),
            sources=_union(piece.sources for piece in pieces),
            warnings=_union(piece.warnings for piece in pieces),
        )
    )


def _drop_repeats(trace: Trace) -> Trace:
    spans = trace.spans
    if len({span.span_id for span in spans}) == len(spans):
        return trace
    kept: dict[str, Span] = {}
    repeated = [span for span in spans if kept.setdefault(span.span_id, span) is not span]
    warnings = tuple([f"duplicate span {span.span_id} ignored" for span in repeated])
    return replace(trace, spans=tuple(kept.values()), warnings=_union((trace.warnings, warnings)))


def _union(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for group in groups for text in group))


def _describe_split(first: str, count: int, sources: tuple[str, ...]) -> str:
    files = f"{', '.join(sources[:_SHOWN])}{' and others' if len(sources) > _SHOWN else ''}"
    if count == 1:
        return f"trace {first} is split over {files}; joined into one"
    return f"{count} traces, the first {first}, are split over {files}; each joined into one"
