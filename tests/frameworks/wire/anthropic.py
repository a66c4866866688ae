"""Anthropic's messages."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.frameworks.wire import Heard, Said, events, halves, join
from tests.servers import Reply, as_json, reply

PATH = "/messages"
# what Claude Code adds to the answer of a tool
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def hear(asked: dict[str, Any]) -> Heard:
    parts = [part for message in asked["messages"] for part in _parts(message)]
    form = asked.get("output_format") or (asked.get("output_config") or {}).get("format")
    return Heard(
        model=asked["model"],
        texts=tuple(p["text"] for role, p in parts if role == "user" and p["type"] == "text"),
        told={
            p["tool_use_id"]: _REMINDER.sub("", join(p.get("content")))
            for _, p in parts
            if p["type"] == "tool_result"
        },
        tools=tuple(each["name"] for each in asked.get("tools") or ()),
        wants_object=bool(form),
        streams=bool(asked.get("stream")),
    )


def _parts(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    content = message["content"]
    listed = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in listed:
        yield message["role"], part


def say(said: Said, heard: Heard) -> Reply:
    taken, given = said.tokens
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    content += [
        {"type": "tool_use", "id": c.call_id, "name": c.name, "input": c.args} for c in said.calls
    ]
    stop = "tool_use" if said.calls else "refusal" if said.refuses else "end_turn"
    whole = {
        "id": f"msg_{said.number}",
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": taken, "output_tokens": given},
    }
    if not heard.streams:
        return as_json(whole)
    return reply(
        200, events(list(_stream(whole)), named=True), {"content-type": "text/event-stream"}
    )


def _stream(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    usage = whole["usage"]
    begun = {**whole, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    for index, part in enumerate(whole["content"]):
        is_text = part["type"] == "text"
        empty = {"text": ""} if is_text else {"input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": {**part, **empty}}
        for delta in _deltas(part):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": usage}
    yield {"type": "message_stop"}


def _deltas(part: dict[str, Any]) -> list[dict[str, Any]]:
    if part["type"] == "text":
        return [{"type": "text_delta", "text": half} for half in halves(part["text"])]
    text = json.dumps(part["input"], ensure_ascii=False)
    return [{"type": "input_json_delta", "partial_json": half} for half in halves(text)]
