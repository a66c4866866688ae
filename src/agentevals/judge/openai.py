"""Chat completions, as OpenAI and everything compatible with it speak them."""

from typing import Annotated, Any

import msgspec

from agentevals.judge.question import Manner, Question, Reply, decode
from agentevals.judge.settings import USUAL_KEYS

HOME = "https://api.openai.com/v1"
PLACE = "OPENAI_BASE_URL"
KEY = USUAL_KEYS["openai"]
STRUCTURES: tuple[str, ...] = ("json_schema", "json_object", "plain")

_Count = Annotated[int, msgspec.Meta(ge=0)]


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


def address(base_url: str) -> str:
    return f"{base_url}/chat/completions"


def headers(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def document(question: Question, manner: Manner) -> dict[str, Any]:
    """The request for one answer."""
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


def read(body: bytes) -> Reply:
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
