"""An agent of Google's ADK that hands over to an agent in another process, over A2A."""

import asyncio

import recording  # noqa: F401
import shop
from google.adk.agents import Agent
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai import types


def open_with(url):
    returns = RemoteA2aAgent(
        name="returns",
        description="Refunds orders.",
        agent_card=f"{url}/.well-known/agent-card.json",
    )
    agent = Agent(
        name="bakery",
        model="gemini-2.5-flash",
        instruction=shop.INSTRUCTIONS,
        tools=[AgentTool(returns)],
    )

    def open_conversation(scenario):
        runner = InMemoryRunner(agent=agent, app_name="shop")

        async def ask(question):
            session = await runner.session_service.create_session(app_name="shop", user_id="u")
            message = types.Content(role="user", parts=[types.Part(text=question)])
            async for _ in runner.run_async(
                user_id="u", session_id=session.id, new_message=message
            ):
                pass

        return ask

    return open_conversation


async def main():
    async with shop.serving("adk_a2a_server.py") as url:
        await shop.play_all(open_with(url))


asyncio.run(main())
