"""The agent for returns on a server of its own: `python adk_a2a_server.py PORT`."""

import sys

import shop
import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import Agent

port = int(sys.argv[1])
returns = Agent(
    name="returns", model="gemini-2.5-flash", description="Refunds orders.", tools=[shop.refund]
)
uvicorn.run(to_a2a(returns, host="127.0.0.1", port=port), host="127.0.0.1", port=port)
