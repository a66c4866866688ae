"""An Agent of Haystack."""

from typing import Annotated

import recording  # noqa: F401
import shop
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret

STATUS = {"type": "json_schema", "json_schema": {"name": "OrderStatus", "schema": shop.STATUS}}


def build(tools, **more):
    model = OpenAIChatGenerator(
        api_key=Secret.from_token("x"),
        model="gpt-4o-mini",
        api_base_url=f"{shop.MODEL}/v1",
        max_retries=0,
        tools_strict=True,
        **more,
    )
    made = [create_tool_from_function(tool) for tool in tools]
    return Agent(chat_generator=model, tools=made, system_prompt=shop.INSTRUCTIONS)


def ask_returns(request: Annotated[str, "what the customer wants"]) -> str:
    """Ask the agent for returns."""
    done = build([shop.refund]).run(messages=[ChatMessage.from_user(request)])
    return done["last_message"].text


def choose(scenario):
    if scenario == "handover":
        return build([ask_returns])
    more = {"generation_kwargs": {"response_format": STATUS}} if scenario == "structured" else {}
    return build(shop.TOOLS, **more)


def ignore(chunk):
    """A part of what is streamed."""


def open_conversation(scenario):
    agent = choose(scenario)
    more = {"streaming_callback": ignore} if scenario == "stream" else {}
    said = []

    def ask(question):
        messages = [*said, ChatMessage.from_user(question)]
        said[:] = agent.run(messages=messages, **more)["messages"]

    return ask


shop.play(open_conversation)
