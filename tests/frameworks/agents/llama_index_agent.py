"""Agents of LlamaIndex, in a workflow."""

import recording  # noqa: F401
import shop
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI
from pydantic import BaseModel

llm = OpenAI(model="gpt-4o-mini", api_base=f"{shop.MODEL}/v1", api_key="x", max_retries=0)


class OrderStatus(BaseModel):
    order_id: int
    status: str


def build(**more):
    return FunctionAgent(
        name="bakery",
        description="Helps customers.",
        system_prompt=shop.INSTRUCTIONS,
        llm=llm,
        **more,
    )


def choose(scenario):
    if scenario == "handover":
        returns = FunctionAgent(
            name="returns", description="Refunds orders.", llm=llm, tools=[shop.refund]
        )
        agent = build(tools=[], can_handoff_to=["returns"])
        return AgentWorkflow(agents=[agent, returns], root_agent="bakery")
    return build(tools=shop.TOOLS, streaming=scenario == "stream")


def open_conversation(scenario):
    agent = choose(scenario)
    context = Context(agent)

    async def ask(question):
        await agent.run(question, ctx=context)

    return ask


shop.play(open_conversation)
