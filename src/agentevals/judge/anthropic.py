"""Anthropic's Messages API, with a tool that the model has to call in place of free text."""

from typing import Annotated, Any

import msgspec

from agentevals.judge.question import Manner, Question, Reply, decode
from agentevals.judge.settings import USUAL_KEYS

HOME = "https://api.anthropic.com/v1"
PLACE = "ANTHROPIC_BASE_URL"
KEY = USUAL_KEYS["anthropic"]
STRUCTURES: tuple[str, ...] = ("tool", "plain")

_VERSION = "2023-06-01"
_TOOL = "answer"
_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Block(msgspec.Struct):
    type: str
    text: str = ""
    input: Any = None


class _Usage(msgspec.Struct):
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cache_read_input_tokens: _Count | None = None
    cache_creation_input_tokens: _Count | None = None

    @property
    def read(self) -> int | None:
        """All that was read: here `input_tokens` leaves out what went through the cache."""
        if self.input_tokens is None:
            return None
        cached = (self.cache_read_input_tokens or 0) + (self.cache_creation_input_tokens or 0)
        return self.input_tokens + cached


class _Message(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


def address(base_url: str) -> str:
    return f"{base_url}/messages" if base_url.endswith("/v1") else f"{base_url}/v1/messages"


def headers(key: str) -> dict[str, str]:
    return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})


def document(question: Question, manner: Manner) -> dict[str, Any]:
    """The request for one answer."""
    structured = manner.structure == "tool" and question.schema is not None
    put = question if structured else question.put_schema_in_text()
    asked: dict[str, Any] = {
        "model": question.model,
        "messages": [{"role": role, "content": text} for role, text in put.said],
        "max_tokens": question.max_tokens,
    }
    if put.system:
        asked["system"] = put.system
    if question.temperature is not None and manner.temperature:
        # the scale ends at 1 here
        asked["temperature"] = min(question.temperature, 1.0)
    if structured:
        asked["tools"] = [
            {"name": _TOOL, "description": "Give the answer", "input_schema": question.schema}
        ]
        asked["tool_choice"] = {"type": "tool", "name": _TOOL}
    return asked


def read(body: bytes) -> Reply:
    """The tool's input where the tool was called, else the text."""
    message = decode(body, _Message, "a message of the Messages API")
    usage = message.usage or _Usage()
    inputs = [block.input for block in message.content if block.type == "tool_use"]
    texts = [block.text for block in message.content if block.type == "text"]
    return Reply(
        text=msgspec.json.encode(inputs[0]).decode() if inputs else "".join(texts),
        refusal="no reason given" if message.stop_reason == "refusal" else "",
        cut_off=message.stop_reason == "max_tokens",
        input_tokens=usage.read,
        output_tokens=usage.output_tokens,
    )
