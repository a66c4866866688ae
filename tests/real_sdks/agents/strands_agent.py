import os

from opentelemetry import trace
from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.telemetry import StrandsTelemetry


@tool
def find_order(order_id: int) -> dict:
    """Finds an order."""
    return {"order_id": order_id, "status": "shipped"}


StrandsTelemetry().setup_otlp_exporter()
model = OpenAIModel(
    client_args={"api_key": "x", "base_url": os.environ["OPENAI_BASE_URL"]}, model_id="scripted-1"
)
print(Agent(model=model, tools=[find_order], callback_handler=None)("Where is order 7?"))
trace.get_tracer_provider().shutdown()
