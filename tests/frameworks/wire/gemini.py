"""Gemini's `generateContent`, whole and streamed."""

from typing import Any

from tests.frameworks.wire import Heard, Said, events, halves
from tests.servers import Reply, as_json, reply

PATH = "enerateContent"


def hear(asked: dict[str, Any]) -> Heard:
    parts = [(c.get("role"), part) for c in asked["contents"] for part in c["parts"]]
    told = [part["functionResponse"] for _, part in parts if "functionResponse" in part]
    tools = [d for each in asked.get("tools") or () for d in each.get("functionDeclarations", ())]
    settings = asked.get("generationConfig") or {}
    return Heard(
        model="",
        texts=tuple(part["text"] for role, part in parts if role == "user" and "text" in part),
        told={each.get("id", each["name"]): each["response"] for each in told},
        tools=tuple(each["name"] for each in tools),
        wants_object=not {"responseSchema", "responseJsonSchema"}.isdisjoint(settings),
        streams=False,
    )


def say(said: Said, heard: Heard) -> Reply:
    taken, given = said.tokens
    parts: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
    parts += [
        {"functionCall": {"id": c.call_id, "name": c.name, "args": c.args}} for c in said.calls
    ]
    usage = {
        "promptTokenCount": taken,
        "candidatesTokenCount": given,
        "totalTokenCount": taken + given,
    }
    head = {"responseId": f"r{said.number}", "modelVersion": said.model}
    if not heard.streams:
        return as_json(_candidate(head, parts, usage))
    halved = [{"text": half} for half in halves(said.text)] + parts[1 if said.text else 0 :]
    chunks = [_candidate(head, [part], None) for part in halved[:-1]]
    chunks.append(_candidate(head, halved[-1:], usage))
    return reply(200, events(chunks), {"content-type": "text/event-stream"})


def _candidate(
    head: dict[str, Any], parts: list[dict[str, Any]], usage: dict[str, int] | None
) -> dict[str, Any]:
    content = {"role": "model", "parts": parts}
    finish = {"finishReason": "STOP"} if usage else {}
    last = {"usageMetadata": usage} if usage else {}
    return {**head, "candidates": [{"content": content, "index": 0, **finish}], **last}
