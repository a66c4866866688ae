"""Requests that a client of a model records beside an instrumentation with the messages."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from agentevals.model.conversations import Span, Trace
from agentevals.traces.conventions import Kind, Reading, read_span
from agentevals.traces.reading.langchain_requests import Witnesses, is_of_client
from agentevals.traces.reading.trace_joining import JoinedTraces

SDKS = ("com.anthropic.sdk",)  # without messages, and often without the parent of the other span
_NONE = frozenset[str]()


class Echoes:
    """All traces, to tell which spans of an SDK say again what another span says in full."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        self._traces = traces

    def find(self, trace: Trace) -> frozenset[str]:
        """Return the ids of such spans in a trace: all, if LangChain has made each of its requests.

        Of an SDK, the other span begins before it, ends after it, and has as many tokens, if any.
        """
        if not self._may_be:
            return _NONE
        if all(map(is_of_client, trace.spans)) and all(map(self._witnesses.know, trace.spans)):
            return frozenset(span.span_id for span in trace.spans)
        own = [span for span in trace.spans if span.scope.startswith(SDKS)]
        if not own:
            return _NONE
        requests = {span.span_id for span, _ in self._list_requests(trace)}
        return frozenset(
            span.span_id
            for span in own
            if span.parent_id not in requests
            and any(_encloses(other, span) for other in self._find_alike(span))
        )

    @cached_property
    def _may_be(self) -> bool:
        """Return whether a client of a model, or an SDK, may have recorded any of the spans."""
        if not isinstance(self._traces, JoinedTraces):
            return True  # they may come one by one
        found = self._traces.witnesses
        return found.asks or any(scope.startswith(SDKS) for scope in found.scopes)

    @cached_property
    def _witnesses(self) -> Witnesses:
        """Return those that were found when the traces were joined, or find them now."""
        if isinstance(self._traces, JoinedTraces):
            return self._traces.witnesses
        found = Witnesses()
        for trace in self._traces:
            for span in trace.spans:
                found.note(span)
        return found

    @cached_property
    def _told(self) -> dict[int | None, list[Span]]:
        found: dict[int | None, list[Span]] = defaultdict(list)
        for trace in self._traces:
            for span, reading in self._list_requests(trace):
                found[reading.output_tokens].append(span)
        return found

    def _list_requests(self, trace: Trace) -> Iterator[tuple[Span, Reading]]:
        """Yield the requests that an instrumentation has recorded."""
        for span in trace.spans:
            reading = read_span(span)
            if reading and reading.kind is Kind.INFERENCE and not span.scope.startswith(SDKS):
                yield span, reading

    def _find_alike(self, span: Span) -> Iterator[Span]:
        reading = read_span(span) or Reading(span)
        for count in {reading.output_tokens, None}:
            yield from self._told.get(count, ())


def _encloses(other: Span, span: Span) -> bool:
    return other.start_ns <= span.start_ns and span.end_ns <= other.end_ns
