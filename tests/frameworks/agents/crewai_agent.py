"""A crew of CrewAI with one agent."""

import recording  # noqa: F401
import shop
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from pydantic import BaseModel


class OrderStatus(BaseModel):
    order_id: int
    status: str


def build(role, tools, *, streams=False, **more):
    llm = LLM(model="openai/gpt-4o-mini", base_url=f"{shop.MODEL}/v1", api_key="x", stream=streams)
    return Agent(
        role=role, goal="Help customers.", backstory="A baker.", tools=tools, llm=llm, **more
    )


OWN = [tool(each) for each in shop.TOOLS]


def open_conversation(scenario):
    if scenario == "handover":
        agents = [
            build("bakery", [], allow_delegation=True),
            build("returns", [tool(shop.refund)]),
        ]
    else:
        agents = [build("bakery", OWN, streams=scenario == "stream")]
    form = {"output_pydantic": OrderStatus} if scenario == "structured" else {}

    def ask(question):
        task = Task(description=question, expected_output="An answer.", agent=agents[0], **form)
        return Crew(agents=agents, tasks=[task]).kickoff_async()

    return ask


shop.play(open_conversation)
