"""An agent of OpenAI's Agents SDK, which asks by responses."""

import recording  # noqa: F401
import shop
from agents import Agent, Runner, SQLiteSession, function_tool, set_default_openai_client
from openai import AsyncOpenAI
from pydantic import BaseModel

set_default_openai_client(
    AsyncOpenAI(base_url=f"{shop.MODEL}/v1", api_key="x"), use_for_tracing=False
)


class OrderStatus(BaseModel):
    order_id: int
    status: str


def build(tools, **more):
    return Agent(
        name="bakery",
        instructions=shop.INSTRUCTIONS,
        model="gpt-4o-mini",
        tools=[function_tool(tool) for tool in tools],
        **more,
    )


returns = Agent(name="returns", model="gpt-4o-mini", tools=[function_tool(shop.refund)])
AGENTS = {
    "structured": build(shop.TOOLS, output_type=OrderStatus),
    "handover": build([], handoffs=[returns]),
}


def open_conversation(scenario):
    agent = AGENTS.get(scenario) or build(shop.TOOLS)
    session = SQLiteSession(scenario)

    async def ask(question):
        if scenario != "stream":
            await Runner.run(agent, question, session=session)
            return
        streamed = Runner.run_streamed(agent, question, session=session)
        async for _ in streamed.stream_events():
            pass

    return ask


shop.play(open_conversation)
