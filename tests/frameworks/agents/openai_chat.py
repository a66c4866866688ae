"""A loop of your own around OpenAI's SDK, with one span around each turn."""

import json

import recording
import shop
from openai import OpenAI
from opentelemetry import trace

client = OpenAI(base_url=f"{shop.MODEL}/v1", api_key="x")
tracer = trace.get_tracer("bakery")
start_turn = getattr(recording, "start_turn", lambda: tracer.start_as_current_span("turn"))
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
    create = client.chat.completions
    if scenario != "stream":
        made = create.create(model="gpt-4o-mini", messages=messages, tools=TOOLS, **more)
        return made.choices[0].message.model_dump(exclude_none=True)
    message = {"role": "assistant", "content": "", "tool_calls": []}
    options = {"include_usage": True}
    for chunk in create.create(
        model="gpt-4o-mini", messages=messages, tools=TOOLS, stream=True, stream_options=options
    ):
        for choice in chunk.choices:
            message["content"] += choice.delta.content or ""
            for part in choice.delta.tool_calls or ():
                if part.id:
                    message["tool_calls"].append(part.model_dump(exclude_none=True))
                else:
                    own = message["tool_calls"][part.index]["function"]
                    own["arguments"] += part.function.arguments
    return {key: value for key, value in message.items() if value}


def open_conversation(scenario):
    messages = [{"role": "system", "content": shop.INSTRUCTIONS}]

    def ask(question):
        messages.append({"role": "user", "content": question})
        with start_turn():
            while True:
                said = ask_model(messages, scenario)
                messages.append(said)
                if not said.get("tool_calls"):
                    return said.get("content") or said.get("refusal")
                for call in said["tool_calls"]:
                    told = shop.use(
                        call["function"]["name"], json.loads(call["function"]["arguments"])
                    )
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": told})

    return ask


shop.play(open_conversation)
