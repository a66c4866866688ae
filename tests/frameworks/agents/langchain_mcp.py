"""An agent of LangChain whose tools are on an MCP server, reached over HTTP."""

import asyncio
import uuid

import recording  # noqa: F401
import shop
from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

model = ChatOpenAI(model="gpt-4o-mini", base_url=f"{shop.MODEL}/v1", api_key="x", max_retries=0)


def open_with(tools):
    agent = create_agent(
        model,
        tools=tools,
        name="bakery",
        system_prompt=shop.INSTRUCTIONS,
        checkpointer=InMemorySaver(),
    )

    def open_conversation(scenario):
        config = {"configurable": {"thread_id": str(uuid.uuid4())}}

        async def ask(question):
            asked = {"messages": [("user", question)]}
            if scenario == "stream":
                async for _ in agent.astream(asked, config, stream_mode="messages"):
                    pass
            else:
                await agent.ainvoke(asked, config)

        return ask

    return open_conversation


async def main():
    async with shop.serving("mcp_server.py") as url:
        server = {"url": f"{url}/mcp", "transport": "streamable_http"}
        tools = await MultiServerMCPClient({"bakery": server}).get_tools()
        await shop.play_all(open_with(tools))


asyncio.run(main())
