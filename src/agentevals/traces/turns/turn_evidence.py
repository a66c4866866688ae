"""All that was read of a turn, a fact that it does not show, and how to record that fact."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import ToolCall
from agentevals.traces import instrumentations
from agentevals.traces.chat_messages import Message
from agentevals.traces.conventions import Reading
from agentevals.traces.instrumentations import Instrumentation
from agentevals.traces.turns.turn_drafts import Draft, Step
from agentevals.traces.turns.turn_edges import find_mixture
from agentevals.traces.turns.turn_output import NOT_READ, RequestOutput, show_output

_NUMBERS = frozenset({Fact.TOKENS, Fact.COST, Fact.TIME})  # settings are about words
_GIVEN = frozenset({Fact.QUESTION, Fact.ARGUMENTS})


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
        # whether the span of an agent says that all of it is one turn
        self.agentic = any(draft.agentic for draft in drafts)
        self.requests = self._list_requests()
        self._mixture: str | None = None
        self._shown: list[RequestOutput] | None = None

    def _list_requests(self) -> Sequence[Step]:
        """Return all requests, with those that no convention understands."""
        unread = [
            step
            for draft in self.drafts
            for step in draft.unread_requests
            if not (
                instrumentations.is_unknown_request(step.reading.span) and self._has_within(step)
            )
        ]
        if not unread:
            return self.calls
        return sorted([*self.calls, *unread], key=lambda step: step.start_ns)

    def _has_within(self, unread: Step) -> bool:
        """Return whether a request was made during the operation, whose words these may be."""
        start, end = unread.start_ns, unread.end_ns
        return any(start <= call.start_ns and call.end_ns <= end for call in self.calls)

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


def advise(fact: Fact, presence: Presence, draft: Draft, steps: Iterable[Step]) -> str:
    """Return how to record a fact that a turn does not show; empty if nobody can tell."""
    if fact in _NUMBERS:
        return ""
    if draft.unlimited:
        return draft.unlimited
    readings = [draft.reading or Reading(draft.anchor), *(step.reading for step in steps)]
    spans = [reading.span for reading in readings]
    made = next(filter(None, map(instrumentations.identify, spans)), None)
    if made is None or presence is Presence.WITHHELD:
        return instrumentations.advise(*spans)
    own = [each for each in readings if instrumentations.identify(each.span) is made]
    if not _has_recorded(fact, made, own):
        return instrumentations.advise(*spans)
    return f"{made.addition}, and record again" if made.addition else _explain(made)


def _explain(made: Instrumentation) -> str:
    return (
        f"{made.title} has recorded other messages of this turn: no setting of it adds this one, "
        "and another instrumentation may"
    )


def _has_recorded(fact: Fact, made: Instrumentation, own: Iterable[Reading]) -> bool:
    """Return whether words of the same side are there, or any if one switch is for both sides."""
    given, said = map(any, zip(*map(_tell_sides, own), strict=True))
    if made.settings:
        return given or said
    return given if fact in _GIVEN else said


def _tell_sides(reading: Reading) -> tuple[bool, bool]:
    """Return whether words that were given, and words that were said or returned, are there."""
    if reading.withheld:
        return False, False
    given = reading.args is not None or any(map(_has_words, reading.input_messages))
    said = reading.result is not None or any(map(_has_words, reading.output_messages))
    return given, said


def _has_words(message: Message) -> bool:
    """Return whether a message holds more than the names of tools."""
    asked = any(call.args is not None for call in message.asked)
    told = any(answer.value is not None for answer in message.answers)
    return bool(message.text) or asked or told
