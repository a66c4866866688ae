"""An agent of Microsoft's Agent Framework, before its first release."""

import recording  # noqa: F401
import shop
from agent_framework import ChatAgent
from agent_framework.openai import OpenAIChatClient
from pydantic import BaseModel

client = OpenAIChatClient(model_id="gpt-4o-mini", base_url=f"{shop.MODEL}/v1", api_key="x")


class OrderStatus(BaseModel):
    order_id: int
    status: str


def build(name, tools):
    return ChatAgent(client, name=name, instructions=shop.INSTRUCTIONS, tools=tools)


returns = build("returns", [shop.refund])


async def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    return (await returns.run(request)).text


def open_conversation(scenario):
    agent = build("bakery", [ask_returns] if scenario == "handover" else shop.TOOLS)
    thread = agent.get_new_thread()
    options = {"response_format": OrderStatus} if scenario == "structured" else {}

    async def ask(question):
        if scenario != "stream":
            await agent.run(question, thread=thread, **options)
            return
        async for _ in agent.run_stream(question, thread=thread):
            pass

    return ask


shop.play(open_conversation)
