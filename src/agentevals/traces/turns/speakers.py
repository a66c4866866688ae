"""The request that gave the answer of a turn, by what the agent's own span says that it was."""

from collections.abc import Sequence

from agentevals.traces.messages import Message
from agentevals.traces.turns.drafts import Step
from agentevals.traces.values import parse_json

_FINAL_ANSWER = "Final Answer:"  # what CrewAI tells a model to write before it


def find_speaker(calls: Sequence[Step], text: str | None) -> Step | None:
    """Return the last request that was answered with this text, line breaks around it aside.

    Some agents return what they said on the way and their answer as one text, and some write the
    JSON of their answer anew.
    """
    said = text.strip() if text else None
    data = parse_json(said)
    speaking = [call for call in calls if call.reading.output_text]
    for each in (speaking, [call for call in speaking if call.speaker is None]):
        if len(each) > 1 and "".join([c.reading.output_text for c in each]).strip() == said:
            return each[-1]
    own = next((c for c in reversed(calls) if c.reading.output_text.strip() == said), None)
    if own is not None or not isinstance(data, dict | list):
        return own
    return next(
        (c for c in reversed(calls) if parse_json(c.reading.output_text.strip()) == data), None
    )


def find_closing_speaker(calls: Sequence[Step], text: str | None) -> Step | None:
    """Return the last request of the agent itself, if what was said ends with its text."""
    own = [call for call in calls if call.speaker is None and not call.under_tool]
    said = own[-1].reading.output_text if own else ""
    return own[-1] if said and text and text.endswith(said) else None


def find_reasoning(calls: Sequence[Step], text: str | None) -> Step | None:
    """Return the last request, if a framework has taken this text out of what it was answered."""
    last = next((call for call in reversed(calls) if call.reading.output_text), None)
    if last is None or not text:
        return None
    return last if drop_reasoning(last.reading.output_text) == text.strip() else None


def drop_reasoning(text: str) -> str:
    """Return the answer alone, where a model was told to write its reasoning before it."""
    _, found, told = text.partition(_FINAL_ANSWER)
    return told.strip() if found else text


def join(messages: Sequence[Message]) -> str:
    return "".join([message.text for message in messages])
