"""An agent of LangChain, which is a graph of LangGraph."""

import uuid

import recording
import shop
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from langchain.tools import tool
from langchain_core.tools import ToolException
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

model = ChatOpenAI(model="gpt-4o-mini", base_url=f"{shop.MODEL}/v1", api_key="x", max_retries=0)
given = {"model": model, "system_prompt": shop.INSTRUCTIONS, "checkpointer": InMemorySaver()}


returns = create_agent(model, tools=[tool(shop.refund)], name="returns")


@tool
def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    done = returns.invoke({"messages": [("user", request)]})
    return done["messages"][-1].content


@tool
def cancel_order(order_id: int) -> str:
    """Cancel an order."""
    try:
        return shop.cancel_order(order_id)
    except ValueError as error:
        raise ToolException(str(error)) from error


cancel_order.handle_tool_error = True
OWN = [tool(shop.find_order), tool(shop.find_price), cancel_order, tool(shop.remember)]
agent = create_agent(tools=OWN, name="bakery", **given)
structured = create_agent(
    tools=OWN, name="bakery", response_format=ProviderStrategy(shop.STATUS), **given
)
leading = create_agent(tools=[ask_returns], name="bakery", **given)


def open_conversation(scenario):
    chosen = {"structured": structured, "handover": leading}.get(scenario, agent)
    config = {"configurable": {"thread_id": str(uuid.uuid4())}}
    config["callbacks"] = getattr(recording, "CALLBACKS", [])

    def ask(question):
        asked = {"messages": [("user", question)]}
        if scenario == "stream":
            list(chosen.stream(asked, config, stream_mode="messages"))
        else:
            chosen.invoke(asked, config)

    return ask


shop.play(open_conversation)
