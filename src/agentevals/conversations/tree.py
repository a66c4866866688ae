"""The spans of a trace as a forest, without recursion and whatever the parent ids claim."""

from collections.abc import Iterator, Sequence

from agentevals.model import Span


class Tree:
    """Every span once, below a parent that exists. What had to be repaired is in `warnings`."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.warnings: list[str] = []
        self._spans: dict[str, Span] = {}
        for span in spans:
            if self._spans.setdefault(span.span_id, span) is not span:
                self.warnings.append(f"duplicate span {span.span_id} ignored")
        self._roots: set[str] = set()

    def downwards(self) -> Iterator[tuple[Span, str]]:
        """Spans with the id of their parent ("" for a root), every parent before its children."""
        done: set[str] = {""}
        for span in self._spans.values():
            if span.span_id in done:
                continue
            parent_id = self._parent(span)
            if parent_id in done:
                done.add(span.span_id)
                yield span, parent_id
                continue
            for late, late_parent in reversed(self._lineage(span, done)):
                done.add(late.span_id)
                yield late, late_parent

    def _parent(self, span: Span) -> str:
        """The id of the parent; "" where there is none, or none that was recorded."""
        parent_id = span.parent_id
        if parent_id not in self._spans or span.span_id in self._roots:
            return ""
        if parent_id == span.span_id:
            self.warnings.append(f"span {parent_id} names itself as parent; treated as a root")
            return ""
        return parent_id

    def _lineage(self, span: Span, done: set[str]) -> list[tuple[Span, str]]:
        """The span and those above it that were not walked yet, upwards."""
        path = self._path(span.span_id, done)
        if path is None:
            # the cycle is broken now, and a second one cannot be above the same span
            path = self._path(span.span_id, done) or {}
        return [(self._spans[span_id], parent_id) for span_id, parent_id in path.items()]

    def _path(self, span_id: str, done: set[str]) -> dict[str, str] | None:
        """Parents by child, up to what was walked; None after breaking a cycle on the way."""
        path: dict[str, str] = {}
        while span_id not in done:
            if span_id in path:
                self._break(list(path)[list(path).index(span_id) :])
                return None
            path[span_id] = self._parent(self._spans[span_id])
            span_id = path[span_id]
        return path

    def _break(self, cycle: list[str]) -> None:
        """Make the earliest span of a cycle a root."""
        root = min(cycle, key=lambda span_id: (self._spans[span_id].start_ns, span_id))
        self._roots.add(root)
        self.warnings.append(f"parent cycle through {len(cycle)} spans broken at {root}")
