"""A loop of your own around OpenAI's SDK, with its tools on an MCP server over HTTP."""

import asyncio
import json

import recording  # noqa: F401
import shop
from mcp import Client
from openai import AsyncOpenAI
from opentelemetry import trace

client = AsyncOpenAI(base_url=f"{shop.MODEL}/v1", api_key="x")
tracer = trace.get_tracer("bakery")


def open_with(server, tools):
    async def ask_model(messages):
        made = await client.chat.completions.create(
            model="gpt-4o-mini", messages=messages, tools=tools
        )
        return made.choices[0].message.model_dump(exclude_none=True)

    async def use(call):
        given = json.loads(call["function"]["arguments"])
        told = await server.call_tool(call["function"]["name"], given)
        text = "".join(part.text for part in told.content)
        return {"role": "tool", "tool_call_id": call["id"], "content": text}

    def open_conversation(scenario):
        messages = [{"role": "system", "content": shop.INSTRUCTIONS}]

        async def ask(question):
            messages.append({"role": "user", "content": question})
            with tracer.start_as_current_span("turn"):
                while True:
                    said = await ask_model(messages)
                    messages.append(said)
                    if not said.get("tool_calls"):
                        return
                    messages.extend([await use(call) for call in said["tool_calls"]])

        return ask

    return open_conversation


def describe(tool):
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


async def main():
    async with shop.serving("mcp_server.py") as url, Client(f"{url}/mcp") as server:
        listed = await server.list_tools()
        await shop.play_all(open_with(server, [describe(tool) for tool in listed.tools]))


asyncio.run(main())
