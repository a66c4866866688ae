"""The spans of a trace by their parents, as they are walked.

Log records are given to the spans of their requests. Spans that tell of the same call of a tool
(the agent's, the client's, the server's) count once. What is below a lost span may be a part of
another turn.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Protocol

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.conventions import Kind, Reading, claude_code, read_span

_read_start = attrgetter("start_ns", "span_id")
TORN = "the span above it was not recorded, and it may be a part of another turn of the trace"
PARTLY_TORN = "a span was not recorded, and what is below it may be a part of this turn"
_SERVED = frozenset({"url.path", "http.target", "http.route", "rpc.method"})  # as servers write


class SpanTree:
    """Every span once, below a parent that exists. What had to be repaired is in `warnings`."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.warnings: list[str] = []
        self._spans: dict[str, Span] = {}
        for span in spans:
            if self._spans.setdefault(span.span_id, span) is not span:
                self.warnings.append(f"duplicate span {span.span_id} ignored")
        self._below: dict[str, list[Span]] = {"": []}
        for span in self._spans.values():
            parent_id = span.parent_id if span.parent_id in self._spans else ""
            if parent_id == span.span_id:
                self.warnings.append(f"span {parent_id} names itself as parent; treated as a root")
                parent_id = ""
            self._below.setdefault(parent_id, []).append(span)

    def downwards(self) -> list[tuple[Span, str]]:
        """Return spans with the id of their parent ("" for a root), a parent before its children.

        Roots and children stand in the order of time.
        """
        found = self._walk(self._below.pop(""), "")
        for root in self._break_cycles() if self._below else ():
            found += self._walk([root], "")
        return found

    def find_top(self, span: Span) -> Span:
        """Return the span above all others that were recorded above this one."""
        seen: set[str] = set()
        while span.parent_id in self._spans and span.span_id not in seen:
            seen.add(span.span_id)
            span = self._spans[span.parent_id]
        return span

    def _walk(self, roots: list[Span], above: str) -> list[tuple[Span, str]]:
        found: list[tuple[Span, str]] = []
        stack = [(span, above) for span in _latest_first(roots)]
        while stack:
            placed = stack.pop()
            found.append(placed)
            span_id = placed[0].span_id
            below = self._below.pop(span_id, None)
            if below:
                stack += [(child, span_id) for child in _latest_first(below)]
        return found

    def _break_cycles(self) -> list[Span]:
        """Spans that no root leads to hang on cycles: the earliest span of each becomes a root."""
        rest = {child.span_id: child for below in self._below.values() for child in below}
        seen: set[str] = set()
        roots = []
        for span in rest.values():
            path: list[str] = []
            span_id = span.span_id
            while span_id not in seen:
                seen.add(span_id)
                path.append(span_id)
                span_id = rest[span_id].parent_id
            if span_id in path:
                roots.append(self._break([rest[each] for each in path[path.index(span_id) :]]))
        return roots

    def _break(self, cycle: list[Span]) -> Span:
        root = min(cycle, key=_read_start)
        self._below[root.parent_id].remove(root)
        self.warnings.append(f"parent cycle through {len(cycle)} spans broken at {root.span_id}")
        return root


def _latest_first(spans: list[Span]) -> list[Span]:
    if len(spans) == 1:  # as most are
        return spans
    return sorted(spans, key=_read_start, reverse=True)


class Tearable(Protocol):
    """A turn in the making."""

    anchor: Span
    torn: str


def find_torn(turn: Tearable, *, says: bool) -> tuple[str, str] | None:
    """Return the evidence that a question, or an answer, may be of another turn, and a remedy.

    A turn that lost what is below it is asked, and has answered, what its own span `says`.
    """
    return (turn.torn, "") if turn.torn and not (says and turn.torn == PARTLY_TORN) else None


def mark_torn(turns: Sequence[Tearable], tree: SpanTree) -> None:
    """Mark the turns of a trace if some are below a lost span.

    A turn alone is whole: the lost span is that of who has called the program. So are those that a
    server was asked for, one after the other, by a program that was not recorded.
    """
    if len(turns) < 2:  # noqa: PLR2004 -- a turn alone
        return
    tops = [tree.find_top(turn.anchor) for turn in turns]
    if not any(top.parent_id for top in tops):
        return
    if all(top.parent_id and not _SERVED.isdisjoint(top.attributes) for top in tops):
        return
    for turn, top in zip(turns, tops, strict=True):
        turn.torn = TORN if top.parent_id else PARTLY_TORN


def is_same(outer: Reading, inner: Reading) -> bool:
    """Return whether a span inside of a tool's tells of the same call."""
    if inner.tool and inner.tool == outer.tool:
        return True
    if inner.remote and inner.tool and outer.tool.endswith(inner.tool):
        # an agent may put the name of the server in front
        return not outer.tool.removesuffix(inner.tool)[-1].isalnum()
    return inner.call_id is not None and inner.call_id == outer.call_id


def fill_call(outer: Reading, inner: Reading) -> None:
    """Take what only the inner span knows."""
    outer.tool = outer.tool or inner.tool
    outer.call_id = outer.call_id or inner.call_id
    outer.error = outer.error or inner.error
    outer.args = inner.args if outer.args is None else outer.args
    outer.result = inner.result if outer.result is None else outer.result


def assign(trace: Trace) -> dict[str, list[SpanEvent]]:
    """Return log records by span. Those without one are of the request, if there is just one."""
    found: dict[str, list[SpanEvent]] = {}
    settled = claude_code.settle(trace.spans, trace.logs)
    for record in sorted(settled, key=lambda record: record.time_ns):
        found.setdefault(record.span_id, []).append(record)
    stray = found.pop("", None)
    if stray:
        requests = [span.span_id for span in trace.spans if _is_request(span)]
        if len(requests) == 1:
            own = found.setdefault(requests[0], [])
            own += stray
            own.sort(key=lambda record: record.time_ns)
    return found


def _is_request(span: Span) -> bool:
    reading = read_span(span)
    return reading is not None and reading.kind is Kind.INFERENCE
