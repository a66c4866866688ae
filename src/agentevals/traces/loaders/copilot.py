"""GitHub Copilot CLI: the events of its sessions."""

from collections import Counter
from collections.abc import Iterator
from functools import reduce
from typing import Any

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, ToolCall, Trace
from agentevals.traces.attribute_values import count, parse_json, read_arguments, word
from agentevals.traces.reading import MalformedError, Record, agent_sessions, spoken_turns
from agentevals.traces.reading.agent_sessions import Session
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "a session of Copilot CLI"

_FAMILIES = (
    "abort",
    "assistant.",
    "command.",
    "elicitation.",
    "exit_plan_mode.",
    "external_tool.",
    "hook.",
    "mcp.",
    "pending_messages.",
    "permission.",
    "sampling.",
    "session.",
    "skill.",
    "subagent.",
    "system.",
    "tool.",
    "user.",
    "user_input.",
)
_TOKENS = (
    "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"
)  # fmt: skip
_REQUIRED = {
    "user.message": ("content",),
    "assistant.message": ("content",),
    "tool.execution_start": ("toolCallId", "toolName"),
    "tool.execution_complete": ("toolCallId", "success"),
}
_SKILL = "skill-"  # what a skill adds in the name of the user
_LAST = "result"  # of what it prints; a log does not have it

Fields = dict[str, Any]


def matches(record: Record) -> bool:
    """Return whether a record is an event of a session."""
    document = record.document
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict):
        return False
    kind = document.get("type")
    return isinstance(kind, str) and kind.startswith(_FAMILIES) and "payload" not in document


def load(recording: Recording) -> Iterator[Trace]:
    """One trace; what subagents said and did is not part of the conversation."""
    log = _Log(recording.path.name)
    yield from recording.each(log.read)
    agent_sessions.report_skipped(recording, log.skipped)
    yield log.session.trace(recording.name)


class _Log:
    def __init__(self, name: str) -> None:
        self.session, self.skipped = Session(name), Counter[str]()
        self._turns: dict[str, int] = {}  # how many there were before each prompt
        self._model = ""
        self._uncounted, self._is_ahead = "", False  # the last message, or the counts before it
        self._readers = {
            "session.start": self._head,
            "session.resume": self._head,
            "session.model_change": self._head,
            "session.shutdown": self._total,
            "session.snapshot_rewind": self._rewind,
            "session.error": self._fail,
            "assistant.message": self._message,
            "assistant.usage": self._count,
            "tool.execution_start": self._start,
            "tool.execution_complete": self._complete,
        }

    def read(self, record: Record) -> Iterator[Trace]:
        event = record.document
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            raise record.unlike(_FORMAT)
        kind, data = event["type"], event.get("data")
        if kind == _LAST:
            self._head(event, 0)
            return iter(())
        if not isinstance(data, dict):
            msg = f"has no 'data' although it is of type {kind[:40]!r}; it is skipped"
            raise MalformedError(msg)
        if not (word(data.get("parentToolCallId")) or word(event.get("agentId"))):
            self._add(kind, data, event)
        return iter(())

    def _add(self, kind: str, data: Fields, event: Fields) -> None:
        time_ns = spoken_turns.time_ns(event.get("timestamp"))
        if kind in _REQUIRED:
            require(data, *_REQUIRED[kind], of=f"an event {kind!r}")
        if kind == "user.message":
            self._turns[word(event.get("id"))] = self.session.length
            if not word(data.get("source")).startswith(_SKILL):
                self.session.add_question(word(data.get("content")), time_ns)
        elif kind in self._readers:
            self._readers[kind](data, time_ns)
        elif not kind.startswith(_FAMILIES):
            self.skipped[kind] += 1

    def _head(self, data: Fields, _time_ns: int) -> None:
        self.session.name = word(data.get("sessionId")) or self.session.name
        models = ("selectedModel", "newModel")
        self._model = next((m for key in models if (m := word(data.get(key)))), self._model)

    def _message(self, data: Fields, time_ns: int) -> None:
        key = word(data.get("messageId"))
        if text := word(data.get("content")):
            self.session.add_text(text, time_ns, message=key)
        asked = data.get("toolRequests")
        for request in asked if isinstance(asked, list) else []:
            if isinstance(request, dict):
                require(request, "toolCallId", "name", of="a tool call")
                self.session.add_call(_call(request, "name"), time_ns=time_ns)
        model = word(data.get("model")) or self._model
        if self._is_ahead:
            self._is_ahead = False
            return
        self._uncounted = key or word(data.get("interactionId")) or "message"
        call = ModelCall(model=model, output_tokens=count(data.get("outputTokens")))
        self.session.add_request(call, key=self._uncounted, time_ns=time_ns)

    def _start(self, data: Fields, time_ns: int) -> None:
        call_id = word(data.get("toolCallId"))
        if not self.session.has_call(call_id):
            self.session.add_call(_call(data, "toolName"), time_ns=time_ns)
        elif time_ns:
            self.session.start_call(call_id, time_ns)

    def _complete(self, data: Fields, time_ns: int) -> None:
        error = data.get("error")
        told = data.get("result") if error is None else error
        if isinstance(told, dict):
            told = told.get("content", told.get("message"))
        if told is None:
            self.session.add_gap(Fact.TOOL_ANSWERS, "a tool has ended without a result")
        self.session.add_answer(
            word(data.get("toolCallId")),
            parse_json(told),
            time_ns=time_ns,
            failed=data.get("success") is False,
        )

    def _count(self, data: Fields, _time_ns: int) -> None:
        """The counts of a request come after its message as a rule, and else before it."""
        if data.get("initiator") == "sub-agent":
            return
        call = spoken_turns.read_model_call(
            data, _TOKENS, model=word(data.get("model")) or self._model
        )
        self.session.add_request(call, key=self._uncounted)
        self._is_ahead = not self._uncounted
        self._uncounted = ""

    def _total(self, data: Fields, _time_ns: int) -> None:
        """A log has no counts of single requests, but at its end those of all of them."""
        metrics = data.get("modelMetrics")
        told = metrics.values() if isinstance(metrics, dict) else ()
        usages = [each["usage"] for each in told if isinstance(each, dict) and "usage" in each]
        calls = [spoken_turns.read_model_call(u, _TOKENS) for u in usages if isinstance(u, dict)]
        if calls:
            self.session.add_totals(reduce(_add_counts, calls))

    def _rewind(self, data: Fields, _time_ns: int) -> None:
        place = self._turns.get(word(data.get("upToEventId")))
        if place is not None:
            self.session.rewind(place)

    def _fail(self, data: Fields, _time_ns: int) -> None:
        why = word(data.get("message"))[:200]
        self.session.warn(f"the session tells of an error: {why}")


def _call(request: Fields, name: str) -> ToolCall:
    return ToolCall(
        name=word(request.get(name)),
        args=read_arguments(request, "arguments"),
        call_id=word(request.get("toolCallId")) or None,
    )


def _add_counts(one: ModelCall, other: ModelCall) -> ModelCall:
    return spoken_turns.read_model_call(
        {
            name: (getattr(one, name) or 0) + (getattr(other, name) or 0)
            for name in spoken_turns.COUNTS
        },
        spoken_turns.COUNTS,
    )
