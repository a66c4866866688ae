"""An AssistantAgent of AutoGen."""

import recording  # noqa: F401
import shop
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

client = OpenAIChatCompletionClient(model="gpt-4o-mini", base_url=f"{shop.MODEL}/v1", api_key="x")


def build(name, tools, **more):
    return AssistantAgent(
        name,
        model_client=client,
        tools=tools,
        system_message=shop.INSTRUCTIONS,
        max_tool_iterations=5,
        **more,
    )


async def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    done = await build("returns", [shop.refund]).run(task=request)
    return done.messages[-1].content


def open_conversation(scenario):
    tools = [ask_returns] if scenario == "handover" else shop.TOOLS
    agent = build("bakery", tools, model_client_stream=scenario == "stream")

    async def ask(question):
        await agent.run(task=question)

    return ask


shop.play(open_conversation)
