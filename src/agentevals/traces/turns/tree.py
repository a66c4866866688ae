"""The spans of a trace by their parents, as they are walked."""

from collections.abc import Sequence
from operator import attrgetter

from agentevals.model.conversations import Span

_read_start = attrgetter("start_ns", "span_id")


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
