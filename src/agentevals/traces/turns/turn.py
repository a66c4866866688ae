"""A turn out of the spans that belong to it."""

from collections.abc import Sequence

from agentevals.model.conversations import Turn
from agentevals.traces.spans.messages import USER, Answer, Message
from agentevals.traces.turns import model_calls, tool_calls
from agentevals.traces.turns.drafts import Draft, Step


class Drafted:
    """A turn in the making: one draft, and those that turn out to go on with it."""

    def __init__(self, draft: Draft) -> None:
        self.drafts = [draft]
        self.calls = model_calls.of_draft(draft)

    def take(self, other: "Drafted") -> bool:
        """Go on with a later one, if it begins with the answers to what this one asked for.

        A program without an agent span leaves one root per request; the tools ran between them.
        """
        if other.drafts[0].agentic or not self.calls or not other.calls:
            return False
        asked = [a for message in self.calls[-1].reading.spoken for a in message.asked]
        told = _closing_answers(other.calls[0].reading.heard) if asked else []
        asked_ids = {a.call_id for a in asked if a.call_id}
        told_ids = {t.call_id for t in told if t.call_id}
        if not told or (asked_ids and told_ids and asked_ids.isdisjoint(told_ids)):
            return False
        self.drafts += other.drafts
        self.calls += other.calls
        return True

    def turn(self) -> tuple[Turn, list[str]]:
        """The turn, and what people should know about how it was read."""
        first = self.drafts[0]
        response, speaker = self._response()
        tools = [step for draft in self.drafts for step in draft.tools]
        called, warnings = tool_calls.read(self.calls, tools)
        turn = Turn(
            turn_id=first.anchor.span_id,
            user=self._user(),
            response=response,
            tool_calls=called,
            model_calls=tuple(map(model_calls.told, self.calls)),
            intermediate=tuple(
                text for call in self.calls if call is not speaker and (text := _said(call))
            ),
            agent=next((draft.agent for draft in self.drafts if draft.agent), ""),
            trace_id=first.trace_id,
            span_id=first.anchor.span_id,
            start_ns=min(draft.start_ns for draft in self.drafts),
            end_ns=max(draft.end_ns for draft in self.drafts),
        )
        return turn, warnings + self._notes(tools)

    def _user(self) -> str:
        own = self.drafts[0].reading
        if own is not None and own.heard:
            return _asked_by_user(own.heard) or _text(own.heard)
        heard = next((call.reading.heard for call in self.calls if call.reading.heard), [])
        return _asked_by_user(heard)

    def _response(self) -> tuple[str | None, Step | None]:
        """What was said to the user, and by which request, if that said it."""
        for draft in reversed(self.drafts):
            own = draft.reading.spoken if draft.reading is not None else []
            if own:
                text = _text(own) or None
                speaker = next((c for c in reversed(self.calls) if _said(c) == text), None)
            else:
                text, speaker = _last_said(draft)
            if text is not None:
                return text, speaker
        return None, None

    def _notes(self, tools: Sequence[Step]) -> list[str]:
        readings = [step.reading for step in (*self.calls, *tools)]
        readings += [draft.reading for draft in self.drafts if draft.reading is not None]
        return [note for reading in readings for note in reading.notes]


def _last_said(draft: Draft) -> tuple[str | None, Step | None]:
    """What was said last, by a request that no tool made unless tools made all of them."""
    calls = [step for step in draft.inferences if not step.inner]
    own = [call for call in calls if not call.under_tool]
    speaking = [call for call in own or calls if _said(call)]
    if not speaking:
        return None, None
    last = max(speaking, key=lambda call: (call.end_ns, call.start_ns))
    return _said(last), last


def _said(call: Step) -> str:
    return _text(call.reading.spoken)


def _text(messages: Sequence[Message]) -> str:
    return "".join([message.text for message in messages])


def _asked_by_user(messages: Sequence[Message]) -> str:
    """The last run of messages in which the user said something."""
    run: list[str] = []
    for message in reversed(messages):
        if message.role == USER and message.text:
            run.append(message.text)
        elif run:
            break
    return "".join(reversed(run))


def _closing_answers(messages: Sequence[Message]) -> list[Answer]:
    """What tools answered, where that is what the messages end with."""
    answers: list[Answer] = []
    for message in reversed(messages):
        if not message.answers:
            break
        answers += message.answers
    return answers
