"""The instrumentations that people use: how to recognise their spans, and how to record more.

To add one: list the beginning of its scope, or of its attributes, with the setting that makes it
record messages.
"""

from functools import lru_cache
from typing import NamedTuple

from agentevals.model.conversations import Span

_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"


class Instrumentation(NamedTuple):
    """A family of instrumentations: what it is called, and what makes it record all."""

    title: str
    advice: str


_AI_SDK = Instrumentation(
    "Vercel AI SDK",
    "Use AI SDK 7 with the 'OpenTelemetry' integration of @ai-sdk/otel, and do not set "
    "recordInputs or recordOutputs to false",
)
_BY_SCOPE = {
    "@ai-sdk/otel": _AI_SDK,
    "ai": _AI_SDK,
    "gcp.vertex.agent": Instrumentation(
        "Google ADK",
        f"Set {_OPT_IN}, {_CONTENT}=SPAN_AND_EVENT and ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true",
    ),
    "strands": Instrumentation("Strands", f"Set {_OPT_IN}"),
    "pydantic-ai": Instrumentation(
        "Pydantic AI", "Give InstrumentationSettings(include_content=True)"
    ),
    "openinference.": Instrumentation(
        "OpenInference",
        "Unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the others of that name",
    ),
    "opentelemetry.instrumentation.": Instrumentation(
        "OpenTelemetry",
        f"Set {_CONTENT}=SPAN_AND_EVENT and {_OPT_IN}, or TRACELOOP_TRACE_CONTENT=true",
    ),
    "agent_framework": Instrumentation(
        "Microsoft Agent Framework", "Set ENABLE_SENSITIVE_DATA=true"
    ),
    "langsmith": Instrumentation(
        "LangSmith", "Unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS"
    ),
    "traceloop": Instrumentation("OpenLLMetry", "Set TRACELOOP_TRACE_CONTENT=true"),
}
_BY_ATTRIBUTE = {
    "ai.": _AI_SDK,
    "traceloop.": _BY_SCOPE["traceloop"],
    "llm.request.type": _BY_SCOPE["traceloop"],
    "openinference.": _BY_SCOPE["openinference."],
    "gcp.vertex.agent.": _BY_SCOPE["gcp.vertex.agent"],
    "langsmith.": _BY_SCOPE["langsmith"],
}
_ANY = f"Let the instrumentation record messages (many read {_CONTENT}=SPAN_AND_EVENT)"

_TOOL_KEYS = frozenset(
    {
        *("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments"),
        *("tool.name", "tool_call.function.name", "tool_call.function.arguments"),
        *("ai.toolCall.name", "ai.toolCall.id", "mcp.tool.name"),
    }
)
_TOOL_NAMES = ("execute_tool", "ai.toolCall", "running tool", "tool:")
_MODEL_KEYS = frozenset(
    {
        *("gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.output_tokens"),
        *("gen_ai.usage.completion_tokens", "gen_ai.output.messages", "gen_ai.input.messages"),
        *("llm.model_name", "llm.token_count.completion", "llm.request.type"),
        *("ai.model.id", "gen_ai.response.id", "gen_ai.response.finish_reasons"),
    }
)
_AGENT_KEYS = frozenset(
    {"input.value", "output.value", "traceloop.entity.input", "traceloop.entity.output"}
)
_FRAMEWORKS = ("ai.", "langfuse.", "langsmith.", "mlflow.", "crewai.", "smolagents.")
_KINDS = frozenset({"gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind"})


def advise(*spans: Span) -> str:
    """Return how the instrumentation of the spans is made to record what it withholds."""
    for span in spans:
        found = identify(span)
        if found:
            return f"{found.advice}, and record again"
    return f"{_ANY}, and record again"


def identify(span: Span) -> Instrumentation | None:
    """Return the instrumentation that made a span, if it is a known one."""
    return _identify(span.scope, frozenset(span.attributes))


@lru_cache(maxsize=1024)  # the spans of a recording have few scopes and shapes
def _identify(scope: str, keys: frozenset[str]) -> Instrumentation | None:
    for start, found in _BY_SCOPE.items():
        if scope == start or (len(start) > len("ai") and scope.startswith(start)):
            return found
    for start, found in _BY_ATTRIBUTE.items():
        if any(key.startswith(start) for key in keys):
            return found
    return None


def is_tool(span: Span) -> bool:
    """Return whether a span that nothing understands was made by a tool of an agent."""
    return not _TOOL_KEYS.isdisjoint(span.attributes) or span.name.startswith(_TOOL_NAMES)


def is_request(span: Span) -> bool:
    """Return whether a span that nothing understands was made by a request to a model."""
    return not _MODEL_KEYS.isdisjoint(span.attributes)


def is_agent(span: Span) -> bool:
    """Return whether a span that nothing understands was made by an agent framework."""
    if not _AGENT_KEYS.isdisjoint(span.attributes):
        return True
    return any(key.startswith(_FRAMEWORKS) for key in span.attributes)


def names_its_kind(span: Span) -> bool:
    """Return whether a span says what kind of operation it is, even if the kind has no place."""
    return not _KINDS.isdisjoint(span.attributes)
