"""A ToolCallingAgent of smolagents."""

import recording  # noqa: F401
import shop
from smolagents import OpenAIModel, ToolCallingAgent, tool

model = OpenAIModel(model_id="gpt-4o-mini", api_base=f"{shop.MODEL}/v1", api_key="x")


@tool
def find_order(order_id: int) -> str:
    """Find an order by its number.

    Args:
        order_id: its number
    """
    return shop.find_order(order_id)


@tool
def find_price(item: str) -> str:
    """Find what an item costs.

    Args:
        item: its name
    """
    return shop.find_price(item)


@tool
def cancel_order(order_id: int) -> str:
    """Cancel an order.

    Args:
        order_id: its number
    """
    return shop.cancel_order(order_id)


@tool
def remember(note: str) -> None:
    """Remember something about the customer.

    Args:
        note: what to remember
    """


@tool
def refund(order_id: int) -> str:
    """Refund an order.

    Args:
        order_id: its number
    """
    return shop.refund(order_id)


def build(name, tools, **more):
    return ToolCallingAgent(
        tools=tools, model=model, name=name, description=name, verbosity_level=0, **more
    )


def open_conversation(scenario):
    if scenario == "handover":
        agent = build("bakery", [], managed_agents=[build("returns", [refund])])
    else:
        agent = build("bakery", [find_order, find_price, cancel_order, remember])
    asked = []

    def ask(question):
        agent.run(question, reset=not asked)
        asked.append(question)

    return ask


shop.play(open_conversation)
