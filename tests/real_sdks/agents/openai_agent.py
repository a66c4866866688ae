from openai import OpenAI
from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

spans, logs = TracerProvider(), LoggerProvider()
spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
trace.set_tracer_provider(spans)
set_logger_provider(logs)
OpenAIInstrumentor().instrument()

client = OpenAI(api_key="x")
parameters = {"type": "object", "properties": {"order_id": {"type": "integer"}}}
tools = [{"type": "function", "function": {"name": "find_order", "parameters": parameters}}]
messages = [{"role": "user", "content": "Where is order 7?"}]
with trace.get_tracer("agent").start_as_current_span("turn"):
    while messages[-1]["role"] != "assistant" or messages[-1].get("tool_calls"):
        completion = client.chat.completions.create(
            model="scripted-1", messages=messages, tools=tools
        )
        messages.append(completion.choices[0].message.model_dump(exclude_none=True))
        messages += [
            {"role": "tool", "tool_call_id": call["id"], "content": '{"status": "shipped"}'}
            for call in messages[-1].get("tool_calls", [])
        ]
print(messages[-1]["content"])
spans.shutdown()
logs.shutdown()
