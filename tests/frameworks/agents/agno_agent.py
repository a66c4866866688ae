"""An agent of Agno."""

import recording  # noqa: F401
import shop
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from pydantic import BaseModel


class OrderStatus(BaseModel):
    order_id: int
    status: str


def build(name, tools, **more):
    model = OpenAIChat(id="gpt-4o-mini", base_url=f"{shop.MODEL}/v1", api_key="x")
    return Agent(
        name=name, model=model, tools=tools, instructions=shop.INSTRUCTIONS, telemetry=False, **more
    )


async def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    return (await build("returns", [shop.refund]).arun(request)).content


def open_conversation(scenario):
    more = {"output_schema": OrderStatus} if scenario == "structured" else {}
    tools = [ask_returns] if scenario == "handover" else shop.TOOLS
    agent = build("bakery", tools, db=InMemoryDb(), add_history_to_context=True, **more)

    async def ask(question):
        if scenario != "stream":
            await agent.arun(question, session_id=scenario)
            return
        async for _ in agent.arun(question, session_id=scenario, stream=True):
            pass

    return ask


shop.play(open_conversation)
