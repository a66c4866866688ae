"""The APIs that judges speak: OpenAI's, as everything compatible with it, and Anthropic's."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

import msgspec

from agentevals.judge.judge_question import Manner, Question, Reply, decode
from agentevals.judge.judge_settings import USUAL_KEYS

_Count = Annotated[int, msgspec.Meta(ge=0)]


class API(ABC):
    """A provider's own address, the variables of its settings, and how it is asked."""

    home: str
    place: str
    key: str
    structures: tuple[str, ...]

    @abstractmethod
    def address(self, base_url: str) -> str:
        """Return the URL for questions."""

    @abstractmethod
    def headers(self, key: str) -> dict[str, str]:
        """Return the headers with the key; a self-hosted server may need none."""

    @abstractmethod
    def document(self, question: Question, manner: Manner) -> dict[str, Any]:
        """Return the request for one answer."""

    @abstractmethod
    def read(self, body: bytes) -> Reply:
        """Read a response, or raise UnavailableError if it is not one of this API."""


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None


class _Completion(msgspec.Struct):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: _Usage | None = None


class OpenAI(API):
    """Chat completions."""

    home = "https://api.openai.com/v1"
    place = "OPENAI_BASE_URL"
    key = USUAL_KEYS["openai"]
    structures = ("json_schema", "json_object", "plain")

    def address(self, base_url: str) -> str:
        return f"{base_url}/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"} if key else {}

    def document(self, question: Question, manner: Manner) -> dict[str, Any]:
        structured = manner.structure == "json_schema"
        put = question if structured else question.put_schema_in_text()
        said = [("system", put.system)] if put.system else []
        asked: dict[str, Any] = {
            "model": question.model,
            "messages": [{"role": role, "content": text} for role, text in (*said, *put.said)],
            manner.tokens_key: question.max_tokens,
        }
        if question.temperature is not None and manner.temperature:
            asked["temperature"] = question.temperature
        if question.schema is None:
            return asked
        if structured:
            form = {"name": "answer", "strict": True, "schema": question.schema}
            asked["response_format"] = {"type": "json_schema", "json_schema": form}
        elif manner.structure == "json_object":
            asked["response_format"] = {"type": "json_object"}
        return asked

    def read(self, body: bytes) -> Reply:
        """The first choice; only one was asked for."""
        completion = decode(body, _Completion, "a chat completion")
        choice, usage = completion.choices[0], completion.usage or _Usage()
        filtered = "its content filter" if choice.finish_reason == "content_filter" else ""
        return Reply(
            text=choice.message.content or "",
            refusal=choice.message.refusal or filtered,
            cut_off=choice.finish_reason == "length",
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
        )


_VERSION = "2023-06-01"
_TOOL = "answer"


class _Block(msgspec.Struct):
    type: str
    text: str = ""
    input: Any = None


class _AnthropicUsage(msgspec.Struct):
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


class _AnthropicMessage(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _AnthropicUsage | None = None


class Anthropic(API):
    """The Messages API, with a tool that the model has to call in place of free text."""

    home = "https://api.anthropic.com/v1"
    place = "ANTHROPIC_BASE_URL"
    key = USUAL_KEYS["anthropic"]
    structures = ("tool", "plain")

    def address(self, base_url: str) -> str:
        return f"{base_url}/messages" if base_url.endswith("/v1") else f"{base_url}/v1/messages"

    def headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})

    def document(self, question: Question, manner: Manner) -> dict[str, Any]:
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

    def read(self, body: bytes) -> Reply:
        """The tool's input where the tool was called, else the text."""
        message = decode(body, _AnthropicMessage, "a message of the Messages API")
        usage = message.usage or _AnthropicUsage()
        inputs = [block.input for block in message.content if block.type == "tool_use"]
        texts = [block.text for block in message.content if block.type == "text"]
        return Reply(
            text=msgspec.json.encode(inputs[0]).decode() if inputs else "".join(texts),
            refusal="no reason given" if message.stop_reason == "refusal" else "",
            cut_off=message.stop_reason == "max_tokens",
            input_tokens=usage.read,
            output_tokens=usage.output_tokens,
        )


APIS: Mapping[str, API] = MappingProxyType({"openai": OpenAI(), "anthropic": Anthropic()})
