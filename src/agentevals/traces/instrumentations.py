"""The instrumentations that people use: how to recognise their spans, and how to record more.

To add one: list the beginning of its scope, or of its attributes, with the settings that make it
record messages.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from agentevals.model.conversations import Span
from agentevals.text.wording import join_names

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
OPT_IN, LATEST = "OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental"


class Instrumentation(NamedTuple):
    """A family of instrumentations: what it is called, and what makes it record all.

    The `settings` are variables of its environment, which `record` sets. What else is to be done
    is a `change` of the agent, or an `addition` of what records more than any setting.
    """

    title: str
    settings: Mapping[str, str] = MappingProxyType({})
    change: str = ""
    addition: str = ""

    @property
    def advice(self) -> str:
        """Return what to do, without the last full stop."""
        set_all = join_names([f"{name}={value}" for name, value in self.settings.items()])
        change = self.change or (f"Set {set_all}" if set_all else "")
        return ". ".join(filter(None, (self.addition, change)))


_OPTED_IN = {CONTENT: "SPAN_AND_EVENT", OPT_IN: LATEST}
_AI_SDK = Instrumentation(
    "Vercel AI SDK", change="Do not set recordInputs or recordOutputs to false"
)
_OPENTELEMETRY = Instrumentation("OpenTelemetry", _OPTED_IN)
_OPENLLMETRY = Instrumentation("OpenLLMetry", {"TRACELOOP_TRACE_CONTENT": "true"})
_ONE_OF_BOTH = Instrumentation(
    "OpenTelemetry or OpenLLMetry",
    {**_OPENTELEMETRY.settings, **_OPENLLMETRY.settings},
    f"{_OPENTELEMETRY.advice}, or {_OPENLLMETRY.advice.removeprefix('Set ')}",
)
_ADK = Instrumentation(
    "Google ADK",
    {
        OPT_IN: LATEST,
        CONTENT: "SPAN_AND_EVENT",
        "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "true",
    },
)
_OPENINFERENCE = Instrumentation(
    "OpenInference",
    change="Unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the others of that "
    "name",
)
_LANGSMITH = Instrumentation(
    "LangSmith", change="Unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS"
)
_LANGFUSE = Instrumentation(
    "Langfuse",
    addition="Add OpenInference's or OpenLLMetry's instrumentation of your framework: its spans go "
    "beside those of Langfuse",
)
_MLFLOW = Instrumentation(
    "MLflow", change="Give mlflow.tracing.configure() no processors that hide inputs or outputs"
)
_SEMANTIC_KERNEL = Instrumentation(
    "Semantic Kernel",
    {"SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE": "true"},
)
_STRANDS = Instrumentation("Strands", {OPT_IN: LATEST})
_AGENT_FRAMEWORK = Instrumentation("Microsoft Agent Framework", {"ENABLE_SENSITIVE_DATA": "true"})
_AZURE = Instrumentation("Azure AI", {"AZURE_TRACING_GEN_AI_CONTENT_RECORDING_ENABLED": "true"})
_HAYSTACK = Instrumentation("Haystack", {"HAYSTACK_CONTENT_TRACING_ENABLED": "true"})
_BY_WHOLE_SCOPE = {"gen_ai": _AI_SDK, "ai": _AI_SDK}
_BY_SCOPE = {
    "com.anthropic.sdk": Instrumentation(
        "Anthropic's SDK",
        addition="Instrument the SDK with opentelemetry-instrumentation-genai-anthropic, since its "
        "own spans hold no messages",
    ),
    "gcp.vertex.agent": _ADK,
    "strands": _STRANDS,
    "pydantic-ai": Instrumentation(
        "Pydantic AI", change="Instrument with InstrumentationSettings(include_content=True)"
    ),
    "openinference.": _OPENINFERENCE,
    "@arizeai/openinference-": _OPENINFERENCE,
    "opentelemetry.util.genai": _OPENTELEMETRY,
    "opentelemetry.instrumentation.genai.openai_agents": Instrumentation(
        "OpenTelemetry",
        _OPTED_IN,
        addition="Install opentelemetry-instrumentation-genai-openai beside it, which records the "
        "requests to the model",
    ),
    "opentelemetry.instrumentation.genai.": _OPENTELEMETRY,
    "opentelemetry.instrumentation.openai_v2": _OPENTELEMETRY,
    "opentelemetry.instrumentation.botocore.bedrock": _OPENTELEMETRY,
    "@opentelemetry/instrumentation-openai": _OPENTELEMETRY,
    "@traceloop/instrumentation-langchain": Instrumentation(
        "OpenLLMetry",
        _OPENLLMETRY.settings,
        "Instrument LangChain with @arizeai/openinference-instrumentation-langchain, since "
        "OpenLLMetry puts each span into a trace of its own",
    ),
    "@traceloop/": _OPENLLMETRY,
    "traceloop": _OPENLLMETRY,
    "agent_framework": _AGENT_FRAMEWORK,
    "semantic_kernel.": _SEMANTIC_KERNEL,
    "Microsoft.SemanticKernel": _SEMANTIC_KERNEL,
    "azure.ai.": _AZURE,
    "openlit": Instrumentation("OpenLIT", change="Give openlit.init(capture_message_content=True)"),
    "langsmith": _LANGSMITH,
    "langfuse-sdk": _LANGFUSE,
    "mlflow.": _MLFLOW,
    "logfire.": Instrumentation(
        "Logfire", addition="Update logfire: releases from 5 write OpenTelemetry's attributes"
    ),
}
_BY_ATTRIBUTE = {
    "ai.": _AI_SDK,
    "traceloop.": _OPENLLMETRY,
    "llm.request.type": _OPENLLMETRY,
    "openinference.": _OPENINFERENCE,
    "gcp.vertex.agent.": _ADK,
    "langsmith.": _LANGSMITH,
    "langfuse.": _LANGFUSE,
    "mlflow.": _MLFLOW,
    "haystack.": _HAYSTACK,
}

_ALL = (*_BY_WHOLE_SCOPE.values(), *_BY_SCOPE.values(), *_BY_ATTRIBUTE.values())
# what makes all of them record messages
SETTINGS = {name: value for each in _ALL for name, value in each.settings.items()}
_PACKAGE = "opentelemetry.instrumentation."  # of OpenTelemetry, of OpenLLMetry, and of HTTP clients
# the packages of that name that record models and agents
_OF_MODELS = frozenset(
    {
        *("agno", "alephalpha", "anthropic", "bedrock", "claude_agent_sdk", "cohere", "crewai"),
        *("google_genai", "google_generativeai", "groq", "haystack", "langchain", "llamaindex"),
        *("mcp", "mistralai", "ollama", "openai", "openai_agents", "replicate", "sagemaker"),
        *("together", "transformers", "vertexai", "voyageai", "watsonx", "writer"),
    }
)
_ANY = f"Let the instrumentation record messages (many read {CONTENT}=SPAN_AND_EVENT)"

_TOOL_KEYS = frozenset(
    {
        *("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments"),
        *("tool.name", "tool_call.function.name", "tool_call.function.arguments"),
        *("ai.toolCall.name", "ai.toolCall.id", "mcp.tool.name"),
    }
)
_NAMES_OF_TOOLS = (
    "gen_ai.tool.name",
    "mcp.tool.name",
    "tool.name",
    "ai.toolCall.name",
    "tool_name",
)
_TOOL_NAMES = ("execute_tool", "ai.toolCall", "running tool", "tool:", "Tool Usage")
_MODEL_KEYS = frozenset(
    {
        *("gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.output_tokens"),
        *("gen_ai.usage.completion_tokens", "gen_ai.output.messages", "gen_ai.input.messages"),
        *("llm.model_name", "llm.token_count.completion", "llm.request.type"),
        *("ai.model.id", "gen_ai.response.id", "gen_ai.response.finish_reasons"),
    }
)
_ANSWERING = frozenset(
    {"chat", "completion", "response"}
)  # the kinds of requests that a model answers
_AGENT_KEYS = frozenset(
    {"input.value", "output.value", "traceloop.entity.input", "traceloop.entity.output"}
)
_FRAMEWORKS = ("ai.", "langfuse.", "langsmith.", "mlflow.", "crewai.", "smolagents.")
# operations that may repeat the words of a model, which other spans hold
_ASIDE = frozenset(
    {
        *("plan", "retrieval", "embeddings", "create_agent", "agent_step", "execute_task"),
        *("execute_event_loop_cycle", "model_chunk", "model_generation", "chain", "workflow"),
        *("handoff", "agent_handoff", "response"),
    }
)
_KINDS = frozenset({"gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind"})


def advise(*spans: Span) -> str:
    """Return how the instrumentation of the spans is made to record what it withholds."""
    for span in spans:
        found = identify(span)
        if found:
            return f"{found.advice}, and record again"
    return f"{_ANY}, and record again"


def identify(span: Span) -> Instrumentation | None:
    """Return the instrumentation that made a span, if it is one of models or agents."""
    return _identify(span.scope, span.scope_version, frozenset(span.attributes))


@lru_cache(maxsize=1024)  # the spans of a recording have few scopes and shapes
def _identify(scope: str, version: str, keys: frozenset[str]) -> Instrumentation | None:
    if scope in _BY_WHOLE_SCOPE:
        return _BY_WHOLE_SCOPE[scope]
    for start, found in _BY_SCOPE.items():
        if scope.startswith(start):
            return found
    for start, found in _BY_ATTRIBUTE.items():
        if any(key.startswith(start) for key in keys):
            return found
    return _identify_package(scope, version)


def _identify_package(scope: str, version: str) -> Instrumentation | None:
    """Tell projects that share names of packages apart: OpenTelemetry's versions end in `b0`."""
    name = scope.removeprefix(_PACKAGE)
    if name == scope or name.partition(".")[0] not in _OF_MODELS:
        return None
    if not version:
        return _ONE_OF_BOTH
    return _OPENTELEMETRY if "b" in version else _OPENLLMETRY


def is_tool(span: Span) -> bool:
    """Return whether a span that nothing understands was made by a tool of an agent."""
    return not _TOOL_KEYS.isdisjoint(span.attributes) or span.name.startswith(_TOOL_NAMES)


def read_tool_name(span: Span) -> str:
    """Return the name of the tool that a span is about; empty if it does not say."""
    found = (span.attributes.get(key) for key in _NAMES_OF_TOOLS)
    return next((name for name in found if isinstance(name, str)), "")


def is_request(span: Span) -> bool:
    """Return whether a span that nothing understands was made by a request to a model."""
    return not _MODEL_KEYS.isdisjoint(span.attributes) and not is_of_vectors(span)


def is_of_vectors(span: Span) -> bool:
    """Return whether a span is of embeddings or of their ranking, by what older releases write."""
    asked = span.attributes.get("llm.request.type")
    if isinstance(asked, str):
        return asked not in _ANSWERING
    named = (span.name, span.attributes.get("gen_ai.request.model"))
    return any("embed" in each.lower() for each in named if isinstance(each, str))


def is_agent(span: Span) -> bool:
    """Return whether a span that nothing understands was made by an agent framework."""
    if not _AGENT_KEYS.isdisjoint(span.attributes):
        return True
    return any(key.startswith(_FRAMEWORKS) for key in span.attributes)


def is_unknown_request(span: Span) -> bool:
    """Return whether a span with words of a model names an operation that nobody knows."""
    operation = span.attributes.get("gen_ai.operation.name")
    is_unknown = isinstance(operation, str) and operation not in _ASIDE
    return is_unknown and "gen_ai.output.messages" in span.attributes


def names_its_kind(span: Span) -> bool:
    """Return whether a span says what kind of operation it is, even if the kind has no place."""
    return not _KINDS.isdisjoint(span.attributes)
