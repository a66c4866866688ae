"""The agent for returns on a server of its own: `python strands_a2a_server.py PORT`."""

import sys

import shop
from strands import Agent, tool
from strands.models.openai import OpenAIModel
from strands.multiagent.a2a import A2AServer

port = int(sys.argv[1])
model = OpenAIModel(
    client_args={"base_url": f"{shop.MODEL}/v1", "api_key": "x"}, model_id="gpt-4o-mini"
)
returns = Agent(
    name="returns",
    description="Refunds orders.",
    model=model,
    tools=[tool(shop.refund)],
    callback_handler=None,
)
A2AServer(agent=returns, host="127.0.0.1", port=port).serve()
