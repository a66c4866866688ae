"""An agent of Google's ADK."""

import recording  # noqa: F401
import shop
from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import BaseModel


class OrderStatus(BaseModel):
    order_id: int
    status: str


def cancel_order(order_id: int) -> dict:
    """Cancel an order."""
    try:
        return shop.cancel_order(order_id)
    except ValueError as error:
        return {"error": str(error)}


OWN = [shop.find_order, shop.find_price, cancel_order, shop.remember]


def build(**more):
    return Agent(name="bakery", model="gemini-2.5-flash", instruction=shop.INSTRUCTIONS, **more)


def choose(scenario):
    if scenario == "handover":
        returns = Agent(
            name="returns",
            model="gemini-2.5-flash",
            description="Refunds orders.",
            tools=[shop.refund],
        )
        return build(sub_agents=[returns])
    if scenario == "structured":
        return build(tools=OWN, output_schema=OrderStatus)
    return build(tools=OWN)


def open_conversation(scenario):
    runner = InMemoryRunner(agent=choose(scenario), app_name="shop")
    mode = StreamingMode.SSE if scenario == "stream" else StreamingMode.NONE
    sessions = []

    async def ask(question):
        if not sessions:
            sessions.append(
                await runner.session_service.create_session(app_name="shop", user_id="u")
            )
        message = types.Content(role="user", parts=[types.Part(text=question)])
        async for _ in runner.run_async(
            user_id="u",
            session_id=sessions[0].id,
            new_message=message,
            run_config=RunConfig(streaming_mode=mode),
        ):
            pass

    return ask


shop.play(open_conversation)
