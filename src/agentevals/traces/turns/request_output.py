"""The recorded part of a request's output: what its messages show, and how it ended."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from agentevals.model.completeness import UNREAD_REQUEST, Presence
from agentevals.traces.conventions import Reading
from agentevals.traces.turns.drafts import Step
from agentevals.traces.values import parse_json

_RECORDED, _WITHHELD, _UNKNOWN = Presence.RECORDED, Presence.WITHHELD, Presence.UNKNOWN
_FINISH = re.compile(r"(finish|stop)_?reasons?$", re.IGNORECASE)
_ENDINGS = ("reason", "reasons", "Reason", "Reasons")
_RESPONSES = (
    "openinference.instrumentation.openai_agents",
    "openinference-instrumentation-openai-agents",
)
_GOOGLE = ("gcp", "gemini", "google", "vertex")
_ASKS = ("tool", "function")  # how a finish reason begins if the model has asked for a tool


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
    bare = (
        reason.rpartition(".")[2] for reason in reasons
    )  # of an enumeration, as Python prints it
    return any(reason.lower().startswith(_ASKS) for reason in bare)
