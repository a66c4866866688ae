"""A loop of your own around Anthropic's SDK, with one span around each turn."""

import recording  # noqa: F401
import shop
from anthropic import Anthropic
from opentelemetry import trace

client = Anthropic(base_url=shop.MODEL, api_key="x")
tracer = trace.get_tracer("bakery")
TOOLS = [
    {"name": t.__name__, "description": t.__doc__, "input_schema": shop.describe(t)}
    for t in shop.TOOLS
]
STATUS = {"format": {"type": "json_schema", "schema": shop.STATUS}}


def ask_model(messages, scenario):
    given = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1000,
        "system": shop.INSTRUCTIONS,
        "messages": messages,
        "tools": TOOLS,
    }
    if scenario == "structured":
        given["output_config"] = STATUS
    if scenario != "stream":
        return client.messages.create(**given).content
    with client.messages.stream(**given) as stream:
        return stream.get_final_message().content


def open_conversation(scenario):
    messages = []

    def ask(question):
        messages.append({"role": "user", "content": question})
        with tracer.start_as_current_span("turn"):
            while True:
                said = ask_model(messages, scenario)
                messages.append({"role": "assistant", "content": said})
                calls = [part for part in said if part.type == "tool_use"]
                if not calls:
                    return
                told = [
                    {
                        "type": "tool_result",
                        "tool_use_id": call.id,
                        "content": shop.use(call.name, call.input),
                    }
                    for call in calls
                ]
                messages.append({"role": "user", "content": told})

    return ask


shop.play(open_conversation)
