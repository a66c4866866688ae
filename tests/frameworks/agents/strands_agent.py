"""An agent of Strands."""

import uuid

import recording  # noqa: F401
import shop
from pydantic import BaseModel
from strands import Agent, tool
from strands.models.openai import OpenAIModel


class OrderStatus(BaseModel):
    """The status of an order."""

    order_id: int
    status: str


def build(name, tools, **more):
    model = OpenAIModel(
        client_args={"base_url": f"{shop.MODEL}/v1", "api_key": "x"}, model_id="gpt-4o-mini"
    )
    return Agent(
        name=name,
        model=model,
        system_prompt=shop.INSTRUCTIONS,
        tools=tools,
        callback_handler=None,
        **more,
    )


@tool
def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    return str(build("returns", [tool(shop.refund)])(request))


def open_conversation(scenario):
    tools = [ask_returns] if scenario == "handover" else [tool(each) for each in shop.TOOLS]
    agent = build("bakery", tools, trace_attributes={"session.id": str(uuid.uuid4())})

    async def ask(question):
        if scenario == "stream":
            async for _ in agent.stream_async(question):
                pass
        elif scenario == "structured":
            await agent.invoke_async(question, structured_output_model=OrderStatus)
        else:
            await agent.invoke_async(question)

    return ask


shop.play(open_conversation)
