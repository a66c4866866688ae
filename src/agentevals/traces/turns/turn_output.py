"""The recorded part of a request's output, and which request gave the answer of a turn.

Messages show what the output was and how it ended; the agent's own span says which is the answer.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from agentevals.model.completeness import UNREAD_REQUEST, Presence
from agentevals.traces.attribute_values import parse_json
from agentevals.traces.chat_messages import Message
from agentevals.traces.conventions import Reading
from agentevals.traces.turns.turn_drafts import Step

_RECORDED, _WITHHELD, _UNKNOWN = Presence.RECORDED, Presence.WITHHELD, Presence.UNKNOWN
_FINISH = re.compile(r"(finish|stop)_?reasons?$", re.IGNORECASE)
_ENDINGS = ("reason", "reasons", "Reason", "Reasons")
_RESPONSES = (
    "openinference.instrumentation.openai_agents",
    "openinference-instrumentation-openai-agents",
)
_GOOGLE = ("gcp", "gemini", "google", "vertex")
_ASKS = ("tool", "function")  # how a finish reason begins if the model has asked for a tool
_FINAL_ANSWER = "Final Answer:"  # what CrewAI tells a model to write before it


class RequestOutput(NamedTuple):
    """The recorded part of the output of a request: its text, and the tools it asked for."""

    text: Presence
    asked: Presence
    why: str = ""


NOT_READ = RequestOutput(_UNKNOWN, _UNKNOWN, UNREAD_REQUEST)
_SHOWN = RequestOutput(_RECORDED, _RECORDED)
_HIDDEN = RequestOutput(_WITHHELD, _RECORDED, "a placeholder stands in its place")


def show_output(call: Step) -> RequestOutput:
    """Return how much of a request's output was recorded, by its messages and how it ended."""
    if call.reading.output_messages:
        return _show_messages(call.reading)
    return _SHOWN if call.failed else _show_ending(call.reading)


def _show_messages(reading: Reading) -> RequestOutput:
    withheld = has_nameless_call = False
    for message in reading.output_messages:
        withheld = withheld or message.is_withheld
        has_nameless_call = has_nameless_call or message.has_nameless_call
    text = _WITHHELD if withheld and not reading.output_text else _RECORDED
    if has_nameless_call:
        return RequestOutput(text, _UNKNOWN, "the model's output holds a tool call without a name")
    if reading.hides_calls:
        return RequestOutput(text, _UNKNOWN, "the span tells of calls that are not in its messages")
    if not reading.output_calls and asks_for_tool(reading):
        why = "the model asked for a tool (finish reason), and its call is not in the messages"
        return RequestOutput(text, _UNKNOWN, why)
    return _SHOWN if text is _RECORDED else _HIDDEN


def _show_ending(reading: Reading) -> RequestOutput:
    """Without messages, the finish reason and the tokens still tell whether there was more."""
    reasons = _list_finish_reasons(reading)
    asks = _mentions_tool_call(reasons)
    asked_nothing = bool(reasons) and not asks and not _ends_alike(reading)
    if reading.withheld:
        why = "a placeholder stands in place of the model's output"
        return RequestOutput(_WITHHELD, _RECORDED if asked_nothing else _WITHHELD, why)
    if asks:
        why = "the model asked for a tool (finish reason), and its output is not in the span"
        return RequestOutput(_RECORDED, _UNKNOWN, why)
    if reading.output_tokens is not None and reading.output_tokens <= (
        reading.reasoning_tokens or 0
    ):
        return _SHOWN
    why = "the model's output is not in the span"
    return RequestOutput(_UNKNOWN, _RECORDED if asked_nothing else _UNKNOWN, why)


def _ends_alike(reading: Reading) -> bool:
    """Return whether an answer with a call ends in the same words as one without.

    Gemini ends with `STOP` after a function call, and OpenInference calls a response of OpenAI
    so that is complete.
    """
    if reading.span.scope.endswith(_RESPONSES):
        return True
    attributes = reading.span.attributes
    provider = attributes.get("gen_ai.provider.name") or attributes.get("gen_ai.system")
    return isinstance(provider, str) and provider.lower().startswith(_GOOGLE)


def _list_finish_reasons(reading: Reading) -> list[str]:
    """Return why the request ended, in the words of its provider, whatever spells it."""
    span = reading.span
    told = [span.attributes]
    if span.events or reading.logs:
        events = (*span.events, *reading.logs)
        told += [event.attributes for event in events]
        told += [event.body for event in events if isinstance(event.body, dict)]
    found: list[str] = []
    for attributes in told:
        for key in _find_reason_keys(tuple(attributes)):
            said = parse_json(attributes[key])
            reasons = said if isinstance(said, list) else [said]
            found += [each for each in reasons if isinstance(each, str) and each]
    return found


@lru_cache(maxsize=256)  # the requests of a recording have few shapes
def _find_reason_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for key in keys if key.endswith(_ENDINGS) and _FINISH.search(key))


def asks_for_tool(reading: Reading) -> bool:
    """Return whether the request ended because the model wanted a tool, named or not."""
    nameless = any(message.has_nameless_call for message in reading.output_messages)
    return nameless or _mentions_tool_call(_list_finish_reasons(reading))


def _mentions_tool_call(reasons: Iterable[str]) -> bool:
    # of an enumeration, as Python prints it
    bare = [reason.rpartition(".")[2] for reason in reasons]
    return any(reason.lower().startswith(_ASKS) for reason in bare)


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
