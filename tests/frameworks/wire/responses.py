"""OpenAI's responses."""

from typing import Any

from tests.frameworks.wire import Heard, Said, events, flatten, halves, join
from tests.servers import Reply, as_json, reply

PATH = "/responses"
_SPEAKERS = ("user", "assistant")


def hear(asked: dict[str, Any]) -> Heard:
    given = asked["input"]
    items = given if isinstance(given, list) else [{"role": "user", "content": given}]
    told = [item for item in items if item.get("type") == "function_call_output"]
    form = (asked.get("text") or {}).get("format") or {}
    return Heard(
        model=asked["model"],
        # one that an agent hands over may come as what an assistant said
        texts=tuple(flatten(i.get("content")) for i in items if i.get("role") in _SPEAKERS),
        told={item["call_id"]: join(item["output"]) for item in told},
        tools=tuple(each.get("name", "") for each in asked.get("tools") or ()),
        wants_object=form.get("type") == "json_schema",
        streams=bool(asked.get("stream")),
    )


def say(said: Said, heard: Heard) -> Reply:
    whole = _whole(said)
    if not heard.streams:
        return as_json(whole)
    return reply(
        200, events(list(_stream(whole)), named=True), {"content-type": "text/event-stream"}
    )


def _whole(said: Said) -> dict[str, Any]:
    taken, given = said.tokens
    kind = "refusal" if said.refuses else "output_text"
    part = {"type": kind, ("refusal" if said.refuses else "text"): said.text}
    if not said.refuses:
        part |= {"annotations": [], "logprobs": []}
    message = {"type": "message", "id": f"msg_{said.number}", "role": "assistant"}
    output: list[dict[str, Any]] = []
    if said.text:
        output.append({**message, "status": "completed", "content": [part]})
    output += [
        {
            "type": "function_call",
            "id": f"fc_{call.call_id}",
            "call_id": call.call_id,
            "name": call.name,
            "arguments": call.text,
            "status": "completed",
        }
        for call in said.calls
    ]
    return {
        "id": f"resp_{said.number}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": said.model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": taken,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": given,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": taken + given,
        },
    }


def _stream(whole: dict[str, Any]) -> list[dict[str, Any]]:
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    found: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for number, item in enumerate(whole["output"]):
        at = {"output_index": number, "item_id": item["id"]}
        empty = {"arguments": ""} if item["type"] == "function_call" else {"content": []}
        begun_item = {**item, **empty, "status": "in_progress"}
        found.append({"type": "response.output_item.added", "item": begun_item, **at})
        found += _parts(item, at)
        found.append({"type": "response.output_item.done", "item": item, **at})
    found.append({"type": "response.completed", "response": whole})
    return [{**each, "sequence_number": number} for number, each in enumerate(found)]


def _parts(item: dict[str, Any], at: dict[str, Any]) -> list[dict[str, Any]]:
    if item["type"] == "function_call":
        deltas = [
            {"type": "response.function_call_arguments.delta", "delta": part, **at}
            for part in halves(item["arguments"])
        ]
        done = {"arguments": item["arguments"], "name": item["name"]}
        return [*deltas, {"type": "response.function_call_arguments.done", **done, **at}]
    [part] = item["content"]
    at = {**at, "content_index": 0}
    text = {"logprobs": []}
    return [
        {"type": "response.content_part.added", "part": {**part, "text": ""}, **at},
        *(
            {"type": "response.output_text.delta", "delta": half, **text, **at}
            for half in halves(part["text"])
        ),
        {"type": "response.output_text.done", "text": part["text"], **text, **at},
        {"type": "response.content_part.done", "part": part, **at},
    ]
