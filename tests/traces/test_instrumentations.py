"""The scopes that packages of PyPI and npm write, and what makes each of them record messages."""

import pytest

from agentevals.model.conversations import Span
from agentevals.traces import instrumentations


def span(scope="", version="", **attributes):
    return Span(span_id="1", name="n", scope=scope, scope_version=version, attributes=attributes)


@pytest.mark.parametrize(
    ("scope", "version", "title"),
    [
        ("gen_ai", "", "Vercel AI SDK"),  # @ai-sdk/otel 1.0.172, OpenTelemetry
        ("ai", "", "Vercel AI SDK"),
        ("gcp.vertex.agent", "2.13.0", "Google ADK"),
        ("strands.telemetry.tracer", "", "Strands"),
        ("pydantic-ai", "2.66.0", "Pydantic AI"),
        ("openinference.instrumentation.openai_agents", "2.6.0", "OpenInference"),
        ("@arizeai/openinference-instrumentation-openai", "4.0.0", "OpenInference"),
        ("opentelemetry.instrumentation.openai.v1", "0.62.4", "OpenLLMetry"),
        ("opentelemetry.instrumentation.langchain", "0.62.4", "OpenLLMetry"),
        ("opentelemetry.instrumentation.langchain", "2.0b0", "OpenTelemetry"),
        ("opentelemetry.instrumentation.langchain", "", "OpenTelemetry or OpenLLMetry"),
        ("opentelemetry.instrumentation.openai_v2", "", "OpenTelemetry"),
        ("opentelemetry.instrumentation.genai.openai", "1.3b0", "OpenTelemetry"),
        ("opentelemetry.util.genai.handler", "1.3b0", "OpenTelemetry"),
        ("agent_framework", "1.23.0", "Microsoft Agent Framework"),
        ("semantic_kernel.functions.kernel_function", "", "Semantic Kernel"),
        ("Microsoft.SemanticKernel.Diagnostics", "", "Semantic Kernel"),
        ("langsmith", "", "LangSmith"),
        ("langfuse-sdk", "5.0.4", "Langfuse"),
        ("logfire.openai", "5.2.0", "Logfire"),
        ("openlit.otel.tracing", "", "OpenLIT"),
    ],
)
def test_a_scope_names_its_instrumentation(scope, version, title):
    known = instrumentations.identify(span(scope, version))

    assert known is not None
    assert known.title == title


@pytest.mark.parametrize(
    "scope",
    [
        "",
        "my.agent",
        "air.traffic",
        "gen_ai_of_mine",
        "opentelemetry.instrumentation.httpx",
        "opentelemetry.instrumentation.fastapi",
        "opentelemetry.instrumentation.sqlalchemy",
    ],
)
def test_other_scopes_are_no_instrumentation_of_agents(scope):
    assert instrumentations.identify(span(scope, "0.66b2")) is None


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("ai.toolCall.name", "Vercel AI SDK"),
        ("langfuse.observation.type", "Langfuse"),
        ("mlflow.spanType", "MLflow"),
        ("traceloop.span.kind", "OpenLLMetry"),
        ("haystack.component.name", "Haystack"),
    ],
)
def test_an_attribute_names_it_under_any_other_scope(key, title):
    known = instrumentations.identify(span("my.tracer", **{key: "x"}))

    assert known is not None
    assert known.title == title


def test_the_first_known_span_says_what_to_set():
    web, agent = span("opentelemetry.instrumentation.fastapi", "0.66b2"), span("pydantic-ai")

    assert instrumentations.advise(web, agent) == (
        "Instrument with InstrumentationSettings(include_content=True), and record again"
    )
