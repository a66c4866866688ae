"""An agent of OpenAI's Agents SDK whose tools are on an MCP server, reached over stdio."""

import asyncio
import os

import recording  # noqa: F401
import shop
from agents import Agent, Runner, SQLiteSession, set_default_openai_client
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI

set_default_openai_client(
    AsyncOpenAI(base_url=f"{shop.MODEL}/v1", api_key="x"), use_for_tracing=False
)
command, *args = shop.serve("mcp_server.py")


def open_with(server):
    agent = Agent(
        name="bakery", instructions=shop.INSTRUCTIONS, model="gpt-4o-mini", mcp_servers=[server]
    )

    def open_conversation(scenario):
        session = SQLiteSession(scenario)

        async def ask(question):
            if scenario != "stream":
                await Runner.run(agent, question, session=session)
                return
            streamed = Runner.run_streamed(agent, question, session=session)
            async for _ in streamed.stream_events():
                pass

        return ask

    return open_conversation


async def main():
    given = {"command": command, "args": args, "env": dict(os.environ)}
    async with MCPServerStdio(given, client_session_timeout_seconds=60) as server:
        await shop.play_all(open_with(server))


asyncio.run(main())
