import asyncio

from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def find_order(order_id: int) -> dict:
    """Finds an order."""
    return {"order_id": order_id, "status": "shipped"}


async def ask(question):
    agent = Agent(name="shop", model="gemini-2.5-flash", instruction="Help.", tools=[find_order])
    runner = InMemoryRunner(agent=agent, app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text=question)])
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        answer = event.content.parts[0].text
    return answer


provider = TracerProvider()  # spans, and no log records: what most agents set up
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
print(asyncio.run(ask("Where is order 7?")))
provider.shutdown()
