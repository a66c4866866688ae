"""An agent of Strands that asks an agent in another process, over A2A."""

import asyncio

import recording  # noqa: F401
import shop
from strands import Agent, tool
from strands.agent.a2a_agent import A2AAgent
from strands.models.openai import OpenAIModel


def open_with(url):
    returns = A2AAgent(endpoint=url)

    @tool
    async def ask_returns(request: str) -> str:
        """Ask the agent for returns."""
        return str(await returns.invoke_async(request))

    model = OpenAIModel(
        client_args={"base_url": f"{shop.MODEL}/v1", "api_key": "x"}, model_id="gpt-4o-mini"
    )
    agent = Agent(
        name="bakery",
        model=model,
        system_prompt=shop.INSTRUCTIONS,
        tools=[ask_returns],
        callback_handler=None,
    )
    return lambda scenario: agent.invoke_async


async def main():
    async with shop.serving("strands_a2a_server.py") as url:
        await shop.play_all(open_with(url))


asyncio.run(main())
