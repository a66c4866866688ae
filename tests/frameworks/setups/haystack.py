from haystack import tracing
from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer
from opentelemetry import trace

tracing.enable_tracing(OpenTelemetryTracer(trace.get_tracer("haystack")))
