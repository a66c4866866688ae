"""The contents of ADK's invocations: parts, calls and answers, with every field it writes."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from agentevals.model.conversations import ToolCall


class Written(BaseModel):
    """An object as ADK writes it, in snake case or camel case."""

    model_config = ConfigDict(
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        loc_by_alias=False,
        defer_build=True,  # many classes, and many runs have no eval set
    )
    is_data: ClassVar[bool] = True

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: Any) -> Any:
        """ADK writes every field, null included, and its newest release has fields of its own."""
        if not isinstance(given, dict):
            return given
        known = _list_spellings(cls)
        return {key: value for key, value in given.items() if value is not None or key in known}


@cache
def _list_spellings(kind: type[BaseModel]) -> frozenset[str]:
    fields = kind.model_fields.items()
    return frozenset(name for key, field in fields for name in (key, field.alias or key))


class FunctionCall(Written):
    """A call of a tool."""

    name: str
    args: dict[str, Any] | None = None
    id: str | None = None
    partial_args: Any = None
    will_continue: Any = None


class FunctionResponse(Written):
    """The answer of a tool."""

    name: str | None = None
    response: Any = None
    id: str | None = None
    parts: Any = None
    scheduling: Any = None
    will_continue: Any = None


class Part(Written):
    """A piece of what was said: a text, a call, an answer, or data."""

    text: str | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    thought: bool | None = None
    thought_signature: Any = None
    inline_data: Any = None
    file_data: Any = None
    video_metadata: Any = None
    media_resolution: Any = None
    executable_code: Any = None
    code_execution_result: Any = None
    tool_call: Any = None
    tool_response: Any = None
    part_metadata: Any = None
    audio_transcription: Any = None
    media_processing: Any = None
    speech_metadata: Any = None


class Content(Written):
    """All that was said at once."""

    role: str | None = None
    parts: list[Part] | None = None

    @model_validator(mode="before")
    @classmethod
    def _not_only_text(cls, given: Any) -> Any:
        if isinstance(given, str):
            msg = 'must be a mapping, not text; write {"parts": [{"text": "…"}]}'
            raise ValueError(msg)  # noqa: TRY004 -- what pydantic turns into a complaint
        return given

    @property
    def text(self) -> str:
        """Return the texts of all parts, a line each."""
        return "\n".join(collect_texts(self.parts or ()))


def collect_texts(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the texts of the parts that have one."""
    return (part.text for part in parts if part.text)


class _Call(Protocol):
    name: str
    args: dict[str, Any] | None
    id: str | None


class _Response(Protocol):
    name: str | None
    response: Any
    id: str | None


def pair_responses(
    calls: Sequence[_Call], responses: Sequence[_Response]
) -> tuple[list[ToolCall], list[_Response]]:
    """Return each call with its response, and the responses that are left.

    It is the one with its id, else the next one with its name.
    """
    paired, open_responses = [], list(responses)
    for call in calls:
        response = next((r for r in open_responses if _belongs(r, call)), None)
        if response is not None:
            open_responses.remove(response)
        told = ToolCall(
            name=call.name,
            args=call.args,
            call_id=call.id,
            answer_id=response.id if response and not call.id else None,
            response=response and response.response,
            answered=response is not None,
        )
        paired.append(told)
    return paired, open_responses


def _belongs(response: _Response, call: _Call) -> bool:
    if response.id is not None and call.id is not None:
        return response.id == call.id
    return response.name == call.name
