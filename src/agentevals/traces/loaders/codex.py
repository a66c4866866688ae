"""Codex: the rollouts of its sessions, and what `codex exec --json` prints."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ToolCall, Trace
from agentevals.traces.attribute_values import count, parse_json, read_arguments, word
from agentevals.traces.chat_messages import ASSISTANT, USER
from agentevals.traces.reading import (
    MalformedError,
    NoTraceError,
    Record,
    agent_sessions,
    codex_events,
    spoken_turns,
)
from agentevals.traces.reading.agent_sessions import Session
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "a session of Codex"

_WRAPPED = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_HEAD = frozenset({"id", "timestamp", "instructions"})  # of a rollout without such wrappings
_SILENT = frozenset(
    {"compaction", "compaction_summary", "context_compaction", "ghost_snapshot", "other"}
    | {"reasoning"}
)
_ADDED = (
    "<environment_context>",
    "<permissions instructions>",
    "<skill>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
)
_TEXTS = frozenset({"input_text", "output_text", "text"})
_NAMED = frozenset({"custom_tool_call", "function_call"})  # others are known by their kind
_FAILED = frozenset({"failed", "incomplete"})
_EXIT = re.compile(r"(?:^Exit code:|Process exited with code) (\d{1,5})")

Fields = dict[str, Any]


def matches(record: Record) -> bool:
    """Return whether a record is a line of a rollout, or one of the printed events."""
    document = record.document
    if not isinstance(document, dict):
        return False
    kind = document.get("type")
    if kind in _WRAPPED if isinstance(kind, str) else False:
        return isinstance(document.get("payload"), dict)
    return codex_events.is_event(document) or (kind is None and document.keys() >= _HEAD)


def load(recording: Recording) -> Iterator[Trace]:
    """One trace: a file is one session, also where it goes on with an earlier one."""
    log = _Log(recording.path.name)
    yield from recording.each(log.read)
    agent_sessions.report_skipped(recording, log.skipped)
    if log.is_subagent:
        msg = "is the work of a subagent; give the session that started it"
        raise NoTraceError(msg)
    yield log.finish().trace(recording.name)


class _Log:
    def __init__(self, name: str) -> None:
        self.session, self.skipped = Session(name), Counter[str]()
        self.is_subagent = self._is_named = self._types_prompts = False
        self._given: list[tuple[str, int]] = []
        self._model = ""
        self._total: Any = None

    def read(self, record: Record) -> Iterator[Trace]:
        line = record.document
        if not isinstance(line, dict):
            raise record.unlike(_FORMAT)
        kind, payload = line.get("type"), line.get("payload")
        time_ns = spoken_turns.time_ns(line.get("timestamp"))
        if codex_events.is_event(line):
            codex_events.read(line, self.session, self.skipped)
        elif kind in _WRAPPED if isinstance(kind, str) else False:
            if not isinstance(payload, dict):
                msg = f"has no 'payload' although it is of type {kind!r}; it is skipped"
                raise MalformedError(msg)
            self._read(str(kind), payload, time_ns)
        elif kind is None:
            if "payload" in line or not (line.keys() >= _HEAD or "record_type" in line):
                require(line, "type", of="a line")
            self._head(line, time_ns)
        else:
            self._item(line, time_ns)
        return iter(())

    def finish(self) -> Session:
        """Return the session, with what was asked last and not worked on."""
        self._begin()
        return self.session

    def _read(self, kind: str, payload: Fields, time_ns: int) -> None:
        if kind == "session_meta":
            self._head(payload, time_ns)
        elif kind == "turn_context":
            self._model = word(payload.get("model")) or self._model
        elif kind == "response_item":
            self._item(payload, time_ns)
        elif kind == "event_msg":
            self._event(payload, time_ns)

    def _head(self, payload: Fields, time_ns: int) -> None:  # noqa: ARG002 -- one of the readers
        """The first one counts: what a session goes on with has a head of its own in the file."""
        inner = payload.get("meta")
        meta = inner if isinstance(inner, dict) else payload
        name = word(meta.get("id"))
        if name and not self._is_named:
            self._is_named, self.session.name = True, name
            source = meta.get("source")
            self.is_subagent = isinstance(source, dict) and any("agent" in key for key in source)

    def _item(self, item: Fields, time_ns: int) -> None:
        kind = word(item.get("type"))
        if not kind:
            require(item, "type", of="an item")
        if kind == "message":
            self._message(item, time_ns)
        elif kind.endswith("_output"):
            if item.get("output") is None:
                self.session.add_gap(Fact.TOOL_ANSWERS, "the answer of a tool has no output")
            response, failed = _outcome(item)
            call_id = word(item.get("call_id"))
            self.session.add_answer(call_id, response, time_ns=time_ns, failed=failed)
        elif kind.endswith("_call"):
            self._begin()
            if kind in _NAMED:
                require(item, "name", of="a tool call")
            self.session.add_call(_call(kind, item), time_ns=time_ns)
        elif kind not in _SILENT:
            self.skipped[kind] += 1

    def _message(self, item: Fields, time_ns: int) -> None:
        require(item, "role", "content", of="a message")
        text = _text(item.get("content"))
        if item.get("role") == USER and text and not text.lstrip().startswith(_ADDED):
            self._given.append((text, time_ns))
        elif item.get("role") == ASSISTANT and text:
            self._begin()
            self.session.add_text(text, time_ns)

    def _event(self, event: Fields, time_ns: int) -> None:
        require(event, "type", of="an event")
        kind = event.get("type")
        if kind == "user_message":
            require(event, "message", of="what the user said")
            self._types_prompts = True
            self._given.clear()
            self.session.add_question(word(event.get("message")), time_ns)
        elif kind == "token_count":
            require(event, "info", of="a count of tokens")
            self._count(event.get("info"), time_ns)
        elif kind == "thread_rolled_back":
            require(event, "num_turns", of="a rollback")
            self._begin()
            self.session.rewind(self.session.length - (count(event.get("num_turns")) or 0))
        elif kind == "error":
            self.session.warn(f"the session tells of an error: {word(event.get('message'))[:200]}")

    def _begin(self) -> None:
        """Prompts stand in the log as given to the model, and in most logs as typed as well."""
        if not self._types_prompts:
            for text, time_ns in self._given:
                self.session.add_question(text, time_ns)
        self._given.clear()

    def _count(self, info: Any, time_ns: int) -> None:
        """Counts are told again when nothing was counted; the total is then the same."""
        told = info if isinstance(info, dict) else {}
        if told:
            require(told, "last_token_usage", "total_token_usage", of="a count of tokens")
        last, total = told.get("last_token_usage"), told.get("total_token_usage")
        if isinstance(last, dict) and (total is None or total != self._total):
            self._begin()
            call = spoken_turns.read_model_call(last, codex_events.TOKENS, model=self._model)
            self.session.add_request(call, time_ns=time_ns)
        self._total = total


def _call(kind: str, item: Fields) -> ToolCall:
    """Calls of tools of the program's own have no name but their kind."""
    name, space = word(item.get("name")), word(item.get("namespace")).rstrip("_")
    call_id = word(item.get("call_id")) or word(item.get("id")) or None
    return ToolCall(
        name=f"{space}__{name}" if space and name else name or kind.removesuffix("_call"),
        args=read_arguments(item, "arguments", "input", "action"),
        call_id=call_id,
        failed=item.get("status") in _FAILED if isinstance(item.get("status"), str) else False,
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    for part in parts:
        if isinstance(part, dict):
            require(part, "type", of="a part of a message")
            if word(part["type"]) in _TEXTS:
                require(part, "text", of="a text")
    return "".join(
        [
            word(p.get("text"))
            for p in parts
            if isinstance(p, dict) and word(p.get("type")) in _TEXTS
        ]
    )


def _outcome(item: Fields) -> tuple[Any, bool]:
    """Return the answer of a tool, and whether the answer says that the tool failed."""
    output = item.get("output")
    if isinstance(output, list):
        output = _text(output) or output
    output = parse_json(output)
    if isinstance(output, dict) and "success" in output and "content" in output:
        return parse_json(output["content"]), output["success"] is False
    if isinstance(output, dict) and isinstance(output.get("metadata"), dict):
        return output.get("output"), output["metadata"].get("exit_code", 0) != 0
    if isinstance(output, str):
        code = _EXIT.search(output.partition("\nOutput:")[0])
        return output, bool(code and int(code[1]))
    return output, False
