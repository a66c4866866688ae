"""Replacement for `google.genai.types`: messages and calls."""

from typing import Any

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel

__all__ = [
    "Blob", "CodeExecutionResult", "Content", "ExecutableCode", "FileData", "FunctionCall",
    "FunctionResponse", "GenerateContentConfig", "GenerateContentResponseUsageMetadata",
    "GroundingMetadata", "ModelContent", "Part", "PartMediaResolution", "PartialArg", "ToolCall",
    "ToolResponse", "UserContent", "VideoMetadata",
]  # fmt: skip


class _Content(EvalBaseModel, val_json_bytes="base64", ser_json_bytes="base64", extra="allow"):
    """A type of messages. What a newer release records beyond its fields is kept."""


class Blob(_Content):
    """Bytes of some kind."""

    data: bytes | None = None
    display_name: str | None = None
    mime_type: str | None = None


class FileData(_Content):
    """The place of a file."""

    display_name: str | None = None
    file_uri: str | None = None
    mime_type: str | None = None


class ExecutableCode(_Content):
    """Code that a model wrote to be run."""

    code: str | None = None
    language: Any = None
    id: str | None = None


class CodeExecutionResult(_Content):
    """The result of executed code."""

    outcome: Any = None
    output: str | None = None
    id: str | None = None


class PartialArg(_Content):
    """A part of the arguments of a call, as they arrive one by one."""

    bool_value: bool | None = None
    json_path: str | None = None
    null_value: str | None = None
    number_value: float | None = None
    string_value: str | None = None
    will_continue: bool | None = None


class FunctionCall(_Content):
    """A call that a model asked for."""

    id: str | None = None
    args: dict[str, Any] | None = None
    name: str | None = None
    partial_args: list[PartialArg] | None = None
    will_continue: bool | None = None


class FunctionResponse(_Content):
    """The result of a call."""

    id: str | None = None
    name: str | None = None
    response: dict[str, Any] | None = None
    parts: list[Any] | None = None
    scheduling: Any = None
    will_continue: bool | None = None


class VideoMetadata(_Content):
    """The part of a video that is meant."""

    end_offset: str | None = None
    fps: float | None = None
    start_offset: str | None = None


class PartMediaResolution(_Content):
    """The closeness with which a picture is looked at."""

    level: Any = None
    num_tokens: int | None = None


class ToolCall(_Content):
    """A call of a tool that runs where the model runs."""

    id: str | None = None
    tool_type: Any = None
    args: dict[str, Any] | None = None


class ToolResponse(_Content):
    """The result of such a call."""

    id: str | None = None
    tool_type: Any = None
    response: dict[str, Any] | None = None


class Part(_Content):
    """A piece of a message: a text, a call, a response, bytes, …"""

    text: str | None = None
    thought: bool | None = None
    thought_signature: bytes | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    executable_code: ExecutableCode | None = None
    code_execution_result: CodeExecutionResult | None = None
    video_metadata: VideoMetadata | None = None
    media_resolution: PartMediaResolution | None = None
    tool_call: ToolCall | None = None
    tool_response: ToolResponse | None = None
    part_metadata: dict[str, Any] | None = None
    audio_transcription: dict[str, Any] | None = None
    media_processing: Any = None
    speech_metadata: dict[str, Any] | None = None

    @classmethod
    def from_text(cls, *, text: str) -> "Part":
        return cls(text=text)

    @classmethod
    def from_bytes(cls, *, data: bytes, mime_type: str) -> "Part":
        return cls(inline_data=Blob(data=data, mime_type=mime_type))

    @classmethod
    def from_uri(cls, *, file_uri: str, mime_type: str | None = None) -> "Part":
        return cls(file_data=FileData(file_uri=file_uri, mime_type=mime_type))

    @classmethod
    def from_function_call(cls, *, name: str, args: dict[str, Any]) -> "Part":
        return cls(function_call=FunctionCall(name=name, args=args))

    @classmethod
    def from_function_response(cls, *, name: str, response: dict[str, Any]) -> "Part":
        return cls(function_response=FunctionResponse(name=name, response=response))


class Content(_Content):
    """A message: who says it, and its parts."""

    parts: list[Part] | None = None
    role: str | None = None


class UserContent(Content):
    """The message of a user: a text, a part, or several of them."""

    def __init__(self, parts: Any = (), **_: Any) -> None:
        super().__init__(role="user", parts=_parts(parts))


class ModelContent(Content):
    """The message of a model: a text, a part, or several of them."""

    def __init__(self, parts: Any = (), **_: Any) -> None:
        super().__init__(role="model", parts=_parts(parts))


def _parts(given: Any) -> list[Any]:
    several = given if isinstance(given, list | tuple) else [given]
    return [Part(text=one) if isinstance(one, str) else one for one in several]


class GroundingMetadata(_Content):
    """The sources of an answer."""

    grounding_chunks: list[Any] | None = None
    grounding_supports: list[Any] | None = None
    web_search_queries: list[str] | None = None
    retrieval_queries: list[str] | None = None


class GenerateContentResponseUsageMetadata(_Content):
    """The token counts of a model's answer."""

    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    cached_content_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    total_token_count: int | None = None


class GenerateContentConfig(_Content):
    """The settings of a request to a model."""

    temperature: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
