"""A scripted judge: it answers every question with something that fits the schema it came with."""

import json
from typing import Any

from tests.frozen.place import Place
from tests.servers import Reply, Seen, Server, as_json


def reached(place: Place, server: Server) -> None:
    """Let runs find it where they would find OpenAI and Anthropic."""
    place.masks[server.host] = "<model>"
    for maker in ("OPENAI", "ANTHROPIC"):
        place.environ[f"{maker}_BASE_URL"] = f"{server.url}/v1"


def answer(seen: Seen) -> Reply:
    """As OpenAI or Anthropic would, whichever is asked."""
    asked = seen.document
    if seen.path.endswith("/messages"):
        tool = asked["tools"][0]
        block = {"type": "tool_use", "id": "t", "name": tool["name"]}
        block["input"] = _fitting(tool["input_schema"])
        usage = {"input_tokens": 100, "output_tokens": 20}
        return as_json({"id": "m", "type": "message", "content": [block], "usage": usage})
    schema = asked.get("response_format", {}).get("json_schema", {}).get("schema")
    text = json.dumps(_fitting(schema)) if schema else "It is fine."
    if "UNFIT" in json.dumps(asked["messages"]):
        text = '{"score": 2}'
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return as_json({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})


def _fitting(schema: dict[str, Any]) -> Any:
    """The first thing that fits."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _fitting(part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_fitting(schema["items"])] * max(1, schema.get("minItems", 1))
    if kind in ("number", "integer"):
        return schema.get("minimum", 1)
    return kind == "boolean" or "because"
