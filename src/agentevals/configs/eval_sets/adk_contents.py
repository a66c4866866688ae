"""The contents of ADK's invocations: parts, calls and answers, with every field that it writes."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


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
