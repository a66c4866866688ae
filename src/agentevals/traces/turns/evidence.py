"""All that was read of a turn, and a fact that it does not show."""

from collections.abc import Sequence
from typing import NamedTuple

from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import ToolCall
from agentevals.traces import remedies
from agentevals.traces.turns.drafts import Draft, Step
from agentevals.traces.turns.edges import find_mixture
from agentevals.traces.turns.request_output import NOT_READ, RequestOutput, show_output


class Evidence:
    """All that was read of a turn, before anybody has judged how complete it is."""

    def __init__(  # noqa: PLR0913 -- what a turn consists of
        self,
        question: str,
        answer: str | None,
        drafts: Sequence[Draft],
        calls: Sequence[Step],
        *,
        tools: Sequence[Step],
        called: Sequence[ToolCall],
        speaker: Step | None,
    ) -> None:
        self.question, self.answer, self.drafts = question, answer, drafts
        self.calls, self.tools, self.called = calls, tools, called
        self.speaker = speaker  # the request that gave the answer
        self.requests = self._list_requests()
        self._mixture: str | None = None
        self._shown: list[RequestOutput] | None = None

    def _list_requests(self) -> Sequence[Step]:
        """Return all requests, with those that no convention understands."""
        unread = [
            step
            for draft in self.drafts
            for step in draft.unread_requests
            if not (remedies.is_unknown_request(step.reading.span) and self._has_within(step))
        ]
        if not unread:
            return self.calls
        return sorted([*self.calls, *unread], key=lambda step: step.start_ns)

    def _has_within(self, unread: Step) -> bool:
        """Return whether a request was made during the operation, whose words these may be."""
        start, end = unread.start_ns, unread.end_ns
        return any(start <= call.start_ns and call.end_ns <= end for call in self.calls)

    @property
    def agentic(self) -> bool:
        """Return whether the span of an agent says that all of it is one turn."""
        return any(draft.agentic for draft in self.drafts)

    @property
    def mixture(self) -> str:
        """Return why nobody knows which requests are one turn; empty if it is known."""
        if self._mixture is None:
            self._mixture = find_mixture(self.drafts, self.calls)
        return self._mixture

    @property
    def shown(self) -> list[RequestOutput]:
        """Return what was recorded of the output of each request."""
        if self._shown is None:
            known = {id(step) for step in self.calls}
            self._shown = [show_output(s) if id(s) in known else NOT_READ for s in self.requests]
        return self._shown


class Missing(NamedTuple):
    """A fact that a turn does not show, and why; its own `remedy` where no setting helps."""

    fact: Fact
    presence: Presence
    why: str
    remedy: str = ""
