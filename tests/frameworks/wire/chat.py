"""OpenAI's chat completions, which most others speak, too."""

from typing import Any

from tests.frameworks.wire import Heard, Said, events, flatten, halves, join, react
from tests.servers import Reply, as_json, reply

PATH = "/chat/completions"


def hear(asked: dict[str, Any]) -> Heard:
    messages = asked["messages"]
    writes_calls = react.is_wanted(asked)
    told = {m["tool_call_id"]: join(m["content"]) for m in messages if m["role"] == "tool"}
    return Heard(
        model=asked["model"],
        texts=tuple(flatten(m.get("content")) for m in messages if m["role"] == "user"),
        told=react.hear(asked) if writes_calls else told,
        tools=tuple(each["function"]["name"] for each in asked.get("tools") or ()),
        wants_object=(asked.get("response_format") or {}).get("type") == "json_schema",
        streams=bool(asked.get("stream")),
        counts=not asked.get("stream")
        or bool((asked.get("stream_options") or {}).get("include_usage")),
        writes_calls=writes_calls,
    )


def say(said: Said, heard: Heard) -> Reply:
    head = {"id": f"chatcmpl-{said.number}", "created": 1, "model": said.model}
    finish = "tool_calls" if said.calls else "stop"
    taken, given = said.tokens
    usage = {"prompt_tokens": taken, "completion_tokens": given, "total_tokens": taken + given}
    if heard.streams:
        return _stream(said, head, finish, usage if heard.counts else None)
    content = None if said.refuses else said.text or None
    message: dict[str, Any] = {"role": "assistant", "content": content}
    message["refusal"] = said.text if said.refuses else None
    if said.calls:
        message["tool_calls"] = [
            {"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": c.text}}
            for c in said.calls
        ]
    choice = {"index": 0, "finish_reason": finish, "message": message, "logprobs": None}
    return as_json({**head, "object": "chat.completion", "choices": [choice], "usage": usage})


def _stream(said: Said, head: dict[str, Any], finish: str, usage: dict[str, int] | None) -> Reply:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": part} for part in halves(said.text)]
    for number, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": ""}
        first = {"index": number, "id": call.call_id, "type": "function", "function": function}
        deltas.append({"tool_calls": [first]})
        deltas += [
            {"tool_calls": [{"index": number, "function": {"arguments": part}}]}
            for part in halves(call.text)
        ]
    head = {**head, "object": "chat.completion.chunk"}
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        chunks.append({**head, "choices": [], "usage": usage})
    body = events(chunks, end="data: [DONE]\n\n")
    return reply(200, body, {"content-type": "text/event-stream"})
