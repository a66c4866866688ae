"""OpenTelemetry for the weather agent: spans with `gen_ai.` attributes, sent by OTLP over HTTP.

Ids and times are counted, not measured, so that a recording of this agent is always the same.
"""

import json
import os
from contextlib import contextmanager
from hashlib import sha256
from itertools import count

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator

BEGIN = 1_750_000_000_000_000_000  # nanoseconds; any day would do
TAKES = {"chat": 420_000_000, "execute_tool": 65_000_000, "invoke_agent": 1_000_000}
MESSAGES = ("input", "output")


class Counted(IdGenerator):
    """Ids that look random and are the same in every run."""

    def __init__(self, seed):
        self.ids = (sha256(f"{seed} {number}".encode()).hexdigest() for number in count())

    def generate_trace_id(self):
        return int(next(self.ids)[:32], 16)

    def generate_span_id(self):
        return int(next(self.ids)[:16], 16)


class Clock:
    """Tells the time that scripted work would have taken."""

    now = BEGIN

    def advance(self, nanoseconds):
        Clock.now += nanoseconds
        return Clock.now


@contextmanager
def telemetry(seed):
    """Spans are exported at the latest when this ends."""
    provider = TracerProvider(
        resource=Resource({"service.name": "weather-agent"}), id_generator=Counted(seed)
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        provider.shutdown()


@contextmanager
def span(name, operation, **attributes):
    """A span; calling what it yields adds what is known only later."""
    clock = Clock()
    tracer = trace.get_tracer("weather_agent")
    with tracer.start_as_current_span(
        name, start_time=clock.advance(1_000_000), end_on_exit=False
    ) as current:

        def add(**known):
            current.set_attributes(dict(flatten("gen_ai", known)))

        add(operation={"name": operation}, **attributes)
        try:
            yield add
        finally:
            current.end(end_time=clock.advance(TAKES[operation]))


def flatten(prefix, known):
    """`{"tool": {"name": "x"}}` as `gen_ai.tool.name`; what is no plain value becomes JSON."""
    for key, value in known.items():
        name = f"{prefix}.{key}"
        if is_content(name):
            if captures_content():
                yield name, json.dumps(value, ensure_ascii=False)
        elif isinstance(value, dict):
            yield from flatten(name, value)
        else:
            yield name, value


def is_content(name):
    return name.endswith((".messages", ".call.arguments", ".call.result"))


def captures_content():
    """What people said is recorded only where that was asked for."""
    wanted = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    return wanted.lower() in ("true", "span_only", "span_and_event")
