"""An agent of Pydantic AI whose tools are on an MCP server, reached over stdio."""

import asyncio
import os

import recording  # noqa: F401
import shop
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel(
    "gpt-4o-mini", provider=OpenAIProvider(base_url=f"{shop.MODEL}/v1", api_key="x")
)
command, *args = shop.serve("mcp_server.py")
server = MCPToolset(StdioTransport(command, args, env=dict(os.environ)), init_timeout=60)
agent = Agent(model, name="bakery", instructions=shop.INSTRUCTIONS, toolsets=[server])


def open_conversation(scenario):
    history = []

    async def ask(question):
        if scenario == "stream":
            async with agent.run_stream(question) as streamed:
                async for _ in streamed.stream_text():
                    pass
            return
        done = await agent.run(question, message_history=history)
        history[:] = done.all_messages()

    return ask


async def main():
    async with agent:
        await shop.play_all(open_conversation)


asyncio.run(main())
