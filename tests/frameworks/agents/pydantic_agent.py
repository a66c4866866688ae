"""An agent of Pydantic AI."""

import recording  # noqa: F401
import shop
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

model = OpenAIChatModel(
    "gpt-4o-mini", provider=OpenAIProvider(base_url=f"{shop.MODEL}/v1", api_key="x")
)


class OrderStatus(BaseModel):
    order_id: int
    status: str


def cancel_order(order_id: int) -> str:
    """Cancel an order."""
    try:
        return shop.cancel_order(order_id)
    except ValueError as error:
        raise ModelRetry(str(error)) from error


def build(tools, **more):
    return Agent(model, name="bakery", instructions=shop.INSTRUCTIONS, tools=tools, **more)


returns = Agent(model, name="returns", tools=[shop.refund])


async def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    return (await returns.run(request)).output


OWN = [shop.find_order, shop.find_price, cancel_order, shop.remember]
AGENTS = {
    "structured": build(OWN, output_type=OrderStatus),
    "handover": build([ask_returns]),
}


def open_conversation(scenario):
    agent = AGENTS.get(scenario) or build(OWN)
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


shop.play(open_conversation)
