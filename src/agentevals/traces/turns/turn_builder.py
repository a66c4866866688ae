"""A turn out of the spans that belong to it."""

from collections.abc import Sequence
from itertools import pairwise, takewhile
from operator import attrgetter

from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import ModelCall, Turn
from agentevals.traces.attribute_values import prose
from agentevals.traces.chat_messages import ASSISTANT, USER, Answer, Message, ToolRequest
from agentevals.traces.conventions import Reading
from agentevals.traces.turns import turn_tool_calls
from agentevals.traces.turns.turn_drafts import Draft, Step
from agentevals.traces.turns.turn_edges import find_question, sort_by_agent
from agentevals.traces.turns.turn_evidence import Evidence
from agentevals.traces.turns.turn_gaps import find_gaps
from agentevals.traces.turns.turn_output import (
    drop_reasoning,
    find_closing_speaker,
    find_reasoning,
    find_speaker,
    join,
    show_output,
)
from agentevals.traces.turns.turn_tool_answers import hides

_NEAR = 16  # requests side by side
_read_end = attrgetter("end_ns", "start_ns")


class TurnBuilder:
    """A turn in the making: one draft, and those that turn out to go on with it."""

    def __init__(self, draft: Draft) -> None:
        self.drafts = [draft]
        self.calls = _select_requests(draft)
        for call, following in pairwise(self.calls):
            if not call.reading.output_messages:
                call.reading.fill_output(_find_output(call.reading, following.reading))

    def take(self, other: "TurnBuilder") -> bool:
        """Go on with a later one, if it begins with the answers to what this one asked for.

        A program without an agent span leaves one root per request; the tools ran between them.
        """
        if other.drafts[0].agentic or not self.calls or not other.calls:
            return False
        asked = self.calls[-1].reading.output_calls
        told = _find_closing_answers(other.calls[0].reading.input_messages)
        if not self._is_followed_by(other, asked, told):
            return False
        self.drafts += other.drafts
        self.calls += other.calls
        return True

    def _is_followed_by(
        self, other: "TurnBuilder", asked: Sequence[ToolRequest], told: Sequence[Answer]
    ) -> bool:
        """Compare ids of calls and answers; if one side was not recorded, the other decides."""
        if asked and told:
            ids = {each.call_id for each in asked if each.call_id}
            others = {each.call_id for each in told if each.call_id}
            return not (ids and others and ids.isdisjoint(others))
        if told:
            return show_output(self.calls[-1]).asked is not Presence.RECORDED
        return bool(asked) and not other.calls[0].reading.input_messages

    def build(self) -> tuple[Turn, list[str]]:
        """Return the turn, and what people should know about how it was read."""
        first = self.drafts[0]
        response, speaker = self._response()
        tools = [step for draft in self.drafts for step in draft.tools]
        called, warnings = turn_tool_calls.read(self.calls, tools)
        user = self._user()
        gaps = find_gaps(
            Evidence(
                user,
                response,
                self.drafts,
                self.calls,
                tools=tools,
                called=called,
                speaker=speaker,
            )
        )
        missing = [gap.fact for gap in gaps]
        if Fact.ANSWER in missing:
            response = speaker = None  # an earlier text is not the answer
        if Fact.QUESTION in missing:
            user = ""
        others = [call for call in self.calls if call is not speaker]
        turn = Turn(
            turn_id=first.anchor.span_id,
            user=user,
            response=response,
            tool_calls=called,
            model_calls=tuple([_build_model_call(call) for call in self.calls]),
            intermediate=tuple(filter(None, [c.reading.output_text for c in others])),
            agent=next((draft.agent for draft in self.drafts if draft.agent), ""),
            trace_id=first.trace_id,
            span_id=first.anchor.span_id,
            start_ns=min([draft.start_ns for draft in self.drafts]),
            end_ns=max([draft.end_ns for draft in self.drafts]),
            gaps=gaps,
        )
        return turn, warnings + self._notes(tools)

    def _user(self) -> str:
        own = self.drafts[0].reading
        if own is not None and own.input_messages:
            heard = own.input_messages
            is_asked = any(message.role == USER for message in heard)
            return find_question(heard) if is_asked else join(heard)
        calls = () if own is not None and own.rewords else sort_by_agent(self.calls)
        told = (each.reading for each in calls)
        first = next((each for each in told if each.input_messages or each.withheld), None)
        return find_question(first.input_messages) if first else ""

    def _response(self) -> tuple[str | None, Step | None]:
        """Return the answer to the user, and the request that gave it, if one did."""
        for draft in reversed(self.drafts):
            own = draft.reading.output_messages if draft.reading is not None else []
            if own:
                text = join(_drop_earlier(own)) or None
                speaker = find_speaker(self.calls, text)
                if draft.reading and draft.reading.joins:
                    speaker = speaker or find_closing_speaker(self.calls, text)
                # frameworks add line breaks to what the model said
                text = speaker.reading.output_text if speaker else text and text.rstrip("\n")
                speaker = speaker or find_reasoning(self.calls, text)
            elif concluding := [step for step in draft.tools if step.reading.concludes]:
                told = concluding[-1].reading.result
                text, speaker = None if told is None or hides(told) else prose(told), None
            else:
                text, speaker = _find_last_text(draft)
                if text and draft.reading and draft.reading.rewords:
                    text = drop_reasoning(text)
            if text is not None:
                return text, speaker
        return None, None

    def _notes(self, tools: Sequence[Step]) -> list[str]:
        readings = [step.reading for step in (*self.calls, *tools)]
        readings += [draft.reading for draft in self.drafts if draft.reading is not None]
        return [note for reading in readings for note in reading.notes]


def _drop_earlier(messages: Sequence[Message]) -> Sequence[Message]:
    """Return what was said last, where the messages tell of calls before it."""
    busy = [n for n, message in enumerate(messages) if message.asked or message.answers]
    last = messages[busy[-1] + 1 :] if busy else messages
    return last if join(last) else messages


def _find_output(reading: Reading, following: Reading) -> list[Message]:
    """Return what a model said by what it is told next: all of it again, and then its answer."""
    heard, later = reading.input_messages, following.input_messages
    again = [(message.role, message.text) for message in later[: len(heard)]]
    if not heard or again != [(message.role, message.text) for message in heard]:
        return []
    return list(takewhile(lambda message: message.role == ASSISTANT, later[len(heard) :]))


def _find_last_text(draft: Draft) -> tuple[str | None, Step | None]:
    """Return the last text: a tool's only if no other asks, none beside calls of a failed run."""
    calls = [step for step in draft.inferences if not step.inner]
    own = [call for call in calls if not call.under_tool]
    speaking = [call for call in own or calls if call.reading.output_text]
    if not speaking:
        return None, None
    last = max(speaking, key=_read_end)
    if draft.anchor.failed and last.reading.output_calls:
        return None, None
    return last.reading.output_text, last


def _find_closing_answers(messages: Sequence[Message]) -> list[Answer]:
    closing = takewhile(lambda message: message.answers, reversed(messages))
    return [answer for message in closing for answer in message.answers]


def _select_requests(draft: Draft) -> list[Step]:
    """Return the innermost requests in the order of time.

    Where there is only one below a request, both are the same, and it takes what only the outer
    one knows. Where there are several, the outer one is no request of its own.
    """
    found = [step for step in draft.inferences if not step.inner]
    for step in found:
        outer = step.outer
        while outer is not None and _is_alone(step, outer):
            step.stretch(outer)
            _fill(step.reading, outer.reading)
            outer = outer.outer
    found.sort(key=lambda step: step.start_ns)
    return _drop_twins(found)


def _is_alone(step: Step, outer: Step) -> bool:
    """Return whether an outer span tells of this request only, failed attempts of it aside."""
    return outer.inner == 1 or (not step.failed and outer.inner - outer.failed_inner == 1)


def _build_model_call(step: Step) -> ModelCall:
    reading = step.reading
    return ModelCall(
        model=reading.model or reading.served_by,
        input_tokens=reading.input_tokens,
        output_tokens=reading.output_tokens,
        cache_read_tokens=reading.cache_read_tokens or 0,
        cache_creation_tokens=reading.cache_creation_tokens or 0,
        reasoning_tokens=reading.reasoning_tokens or 0,
        cost=reading.cost,
        start_ns=step.start_ns,
        end_ns=step.end_ns,
        failed=step.failed,
        agent=step.agent,
    )


def _drop_twins(steps: list[Step]) -> list[Step]:
    """Two instrumentations side by side see the same answer at the same time.

    If one lies within the other, it is nearer to the model, and its counts are right.
    """
    found: list[Step] = []
    by_answer: dict[str, Step] = {}
    for step in steps:
        answer = step.reading.response_id
        twin = by_answer.get(answer) if answer else None
        if twin is None and found:
            twin = next((each for each in found[-_NEAR:] if _encloses(each, step)), None)
        if twin is None or step.start_ns >= twin.end_ns:
            by_answer[answer] = step
            found.append(step)
            continue
        if step.end_ns <= twin.end_ns and step.reading.has_counts:
            _take_counts(twin.reading, step.reading)
        twin.stretch(step)
        _fill(twin.reading, step.reading)
    return found


def _fill(inner: Reading, outer: Reading) -> None:
    inner.model = inner.model or outer.model
    inner.served_by = inner.served_by or outer.served_by
    inner.input_sources += outer.input_sources
    inner.output_sources += outer.output_sources
    if inner.cost is None:
        inner.cost = outer.cost
    if not inner.has_counts and outer.has_counts:
        _take_counts(inner, outer)
    told = outer.output_calls
    if [call.name for call in inner.output_calls] == [call.name for call in told]:
        inner.name_calls([call.call_id for call in told])


def _encloses(outer: Step, step: Step) -> bool:
    """Return whether another instrumentation has counted the same tokens around a request."""
    same = ("input_tokens", "output_tokens")
    one, other = outer.reading, step.reading
    return (
        one.span.scope != other.span.scope
        and not (one.response_id and other.response_id)
        and outer.start_ns <= step.start_ns <= step.end_ns <= outer.end_ns
        and one.output_tokens is not None
        and all(getattr(one, name) == getattr(other, name) for name in same)
    )


def _take_counts(reading: Reading, other: Reading) -> None:
    """Take all counts of one source, or the same tokens would be mixed from two."""
    reading.input_tokens, reading.output_tokens = other.input_tokens, other.output_tokens
    reading.cache_read_tokens = other.cache_read_tokens
    reading.cache_creation_tokens = other.cache_creation_tokens
    reading.reasoning_tokens = other.reasoning_tokens
