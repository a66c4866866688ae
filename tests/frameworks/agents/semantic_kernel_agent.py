"""A ChatCompletionAgent of Semantic Kernel."""

import recording  # noqa: F401
import shop
from openai import AsyncOpenAI
from pydantic import BaseModel
from semantic_kernel.agents import ChatCompletionAgent, ChatHistoryAgentThread
from semantic_kernel.connectors.ai.open_ai import (
    OpenAIChatCompletion,
    OpenAIChatPromptExecutionSettings,
)
from semantic_kernel.functions import KernelArguments, KernelPlugin, kernel_function

client = AsyncOpenAI(base_url=f"{shop.MODEL}/v1", api_key="x", max_retries=0)
service = OpenAIChatCompletion(ai_model_id="gpt-4o-mini", async_client=client)


class OrderStatus(BaseModel):
    order_id: int
    status: str


structured = OpenAIChatPromptExecutionSettings(response_format=OrderStatus)


def build(name, plugins, **more):
    return ChatCompletionAgent(
        service=service, name=name, instructions=shop.INSTRUCTIONS, plugins=plugins, **more
    )


def gather(*tools):
    return KernelPlugin(name="shop", functions=[kernel_function(tool) for tool in tools])


def choose(scenario):
    if scenario == "handover":
        returns = build("returns", [gather(shop.refund)])
        return build("bakery", [KernelPlugin.from_object("agents", returns)])
    if scenario == "structured":
        return build("bakery", [gather(*shop.TOOLS)], arguments=KernelArguments(structured))
    return build("bakery", [gather(*shop.TOOLS)])


def open_conversation(scenario):
    agent = choose(scenario)
    thread = ChatHistoryAgentThread()

    async def ask(question):
        if scenario != "stream":
            await agent.get_response(question, thread=thread)
            return
        async for _ in agent.invoke_stream(question, thread=thread):
            pass

    return ask


shop.play(open_conversation)
