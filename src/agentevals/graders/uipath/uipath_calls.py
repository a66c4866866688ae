"""The tool calls of a case as UiPath reads them, and which expected call is meant by which."""

import json
import re
from collections import defaultdict, deque
from functools import lru_cache
from typing import Any, NamedTuple

from agentevals.model.cases import Case
from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, ToolCall
from agentevals.traces.attribute_values import UnreadableError, decode
from agentevals.traces.conventions.openinference import unwrap_answer, unwrap_arguments
from agentevals.traces.langchain_values import parse_literal

_NAME, _ID, _SYNTHESISED = "tool.name", "tool.id", "tool.synthesized"
_SPACES = re.compile(r"\s+")
_WRAPPED = ("content", "result")  # under which frameworks hand on what a tool returned


class Called(NamedTuple):
    """One call of a tool, with what it put out as a text."""

    name: str
    args: dict[str, Any]
    output: str
    call_id: str | None


def read_calls(case: Case) -> list[Called]:
    """The calls in the order in which they ended.

    Spans with `tool.name` say it in UiPath's own words; otherwise it is what was read from the
    trace, whatever format it has.
    """
    own = [span for span in case.conversation.spans if span.attributes.get(_NAME)]
    if own:
        ended = sorted(own, key=lambda span: span.end_ns)
        told = _Told(case)
        read = [(span, _read_span(span, told)) for span in ended]
        return [call for span, call in read if not span.attributes.get(_SYNTHESISED)]
    calls = [call for turn in case.turns for call in turn.tool_calls]
    if all(call.end_ns for call in calls) and not any(t.find_gap(Fact.TIME) for t in case.turns):
        calls.sort(key=lambda call: call.end_ns)
    return [_read_call(call) for call in calls]


def is_meant(name: str, call_id: str | None, call: Called) -> bool:
    """Compare by id if both have one, otherwise by name; an id may stand where the name goes."""
    if call_id is not None and call.call_id is not None:
        return call_id == call.call_id
    if call.call_id is not None and name == call.call_id:
        return True
    return _join_words(name) == _join_words(call.name)


@lru_cache(maxsize=4096)
def _join_words(name: str) -> str:
    return _SPACES.sub("_", name)


class _Told:
    """The calls as the messages tell of them, in the order in which their spans ended."""

    def __init__(self, case: Case) -> None:
        calls = [call for turn in case.turns for call in turn.tool_calls]
        self._waiting: dict[str, deque[Called]] = defaultdict(deque)
        for call in sorted(calls, key=lambda call: call.end_ns):
            read = _read_call(call)._replace(output=_read_output(call.response))
            self._waiting[call.name].append(read)

    def take(self, name: str) -> Called:
        """Return the next call of the tool."""
        return self._waiting[name].popleft() if self._waiting[name] else Called(name, {}, "", None)


def _read_span(span: Span, told: _Told) -> Called:
    """Return the call of a span; what it does not say in UiPath's words, the messages may."""
    attributes = span.attributes
    call_id, known = attributes.get(_ID), told.take(str(attributes[_NAME]))
    args = _read_arguments(attributes.get("input.value"))
    return Called(
        name=str(attributes[_NAME]),
        args=known.args if args is None else args,
        output=_read_output(attributes.get("output.value")) or known.output,
        call_id=None if call_id is None else str(call_id),
    )


def _read_arguments(given: Any) -> dict[str, Any] | None:
    """Read JSON, or else what a Python program printed: anything but an object is no arguments.

    A text that is neither is how another system writes a single argument: None.
    """
    if isinstance(given, str):
        try:
            given = decode(given)
        except UnreadableError:
            given = parse_literal(given.strip())
    if given is None or isinstance(given, str):
        return None
    return unwrap_arguments(given) if isinstance(given, dict) else {}


def _read_output(given: Any) -> str:
    """The content of an object, also of one in JSON; anything else as it stands."""
    if isinstance(given, str):
        try:
            found = decode(given)
        except UnreadableError:
            return given
        if not isinstance(found, dict):
            return given
        given = unwrap_answer(found)
    if isinstance(given, dict):
        given = given.get("content", "")
    return str(given) if given else ""


def _read_call(call: ToolCall) -> Called:
    return Called(call.name, call.args or {}, _read_answer(call.response), call.call_id)


def _read_answer(given: Any) -> str:
    """Read the answer that other systems record in no fixed place; else the object as JSON."""
    if isinstance(given, str):
        return given
    if isinstance(given, dict):
        inner = next((key for key in _WRAPPED if key in given and len(given) == 1), None)
        if inner is None and "content" not in given:
            return json.dumps(given, ensure_ascii=False, default=str)
        return _read_output({"content": given[inner or "content"]})
    return _read_output(given)
