"""An agent of the Claude Agent SDK, whose tools are in a server of its own process."""

import dataclasses

import recording  # noqa: F401
import shop
from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    create_sdk_mcp_server,
    tool,
)


def build(function):
    async def run(args):
        said = function(**args)
        return {"content": [{"type": "text", "text": said}] if said else []}

    return tool(function.__name__, function.__doc__, shop.describe(function))(run)


SERVER = create_sdk_mcp_server("bakery", tools=[build(t) for t in [*shop.TOOLS, shop.refund]])
NAMES = [f"mcp__bakery__{function.__name__}" for function in shop.TOOLS]
RETURNS = AgentDefinition(
    description="Refunds orders.", prompt="You refund orders.", tools=["mcp__bakery__refund"]
)
MORE = {
    "stream": {"include_partial_messages": True},
    "structured": {"output_format": {"type": "json_schema", "schema": shop.STATUS}},
    "handover": {
        "tools": ["Agent"],
        "allowed_tools": ["Agent", "Task", "mcp__bakery__refund"],
        "agents": {"returns": RETURNS},
    },
}


GIVEN = {
    "model": "claude-sonnet-4-5",
    "system_prompt": shop.INSTRUCTIONS,
    "mcp_servers": {"bakery": SERVER},
    "tools": [],
    "allowed_tools": NAMES,
    "max_turns": 6,
    "env": {
        "ANTHROPIC_BASE_URL": shop.MODEL,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
}


def configure(**given):
    known = {field.name for field in dataclasses.fields(ClaudeAgentOptions)}
    return ClaudeAgentOptions(**{name: each for name, each in given.items() if name in known})


class Conversation:
    def __init__(self, scenario):
        self.client = ClaudeSDKClient(configure(**{**GIVEN, **MORE.get(scenario, {})}))
        self.is_open = False

    async def __call__(self, question):
        if not self.is_open:
            await self.client.connect()
            self.is_open = True
        await self.client.query(question)
        async for message in self.client.receive_response():
            if isinstance(message, ResultMessage) and message.is_error:
                raise RuntimeError(message.result)

    async def close(self):
        await self.client.disconnect()


shop.play(Conversation)
