"""A loop of your own around LiteLLM, with one span around each turn."""

import json

import litellm
import recording  # noqa: F401
import shop
from opentelemetry import trace

tracer = trace.get_tracer("bakery")
TOOLS = [
    {
        "type": "function",
        "function": {"name": t.__name__, "description": t.__doc__, "parameters": shop.describe(t)},
    }
    for t in shop.TOOLS
]
STATUS = {"type": "json_schema", "json_schema": {"name": "OrderStatus", "schema": shop.STATUS}}


def ask_model(messages, scenario):
    more = {"response_format": STATUS} if scenario == "structured" else {}
    given = {
        "model": "openai/gpt-4o-mini",
        "api_base": f"{shop.MODEL}/v1",
        "api_key": "x",
        "messages": messages,
        "tools": TOOLS,
    }
    if scenario == "stream":
        options = {"include_usage": True}
        chunks = list(litellm.completion(**given, stream=True, stream_options=options))
        made = litellm.stream_chunk_builder(chunks, messages=messages)
    else:
        made = litellm.completion(**given, **more)
    return made.choices[0].message.model_dump(exclude_none=True)


def open_conversation(scenario):
    messages = [{"role": "system", "content": shop.INSTRUCTIONS}]

    def ask(question):
        messages.append({"role": "user", "content": question})
        with tracer.start_as_current_span("turn"):
            while True:
                said = ask_model(messages, scenario)
                messages.append(said)
                if not said.get("tool_calls"):
                    return
                for call in said["tool_calls"]:
                    told = shop.use(
                        call["function"]["name"], json.loads(call["function"]["arguments"])
                    )
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": told})

    return ask


shop.play(open_conversation)
