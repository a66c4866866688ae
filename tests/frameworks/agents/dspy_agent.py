"""A ReAct agent of DSPy."""

import dspy
import recording  # noqa: F401
import shop

dspy.configure(
    lm=dspy.LM(
        "openai/gpt-4o-mini",
        api_key="x",
        api_base=f"{shop.MODEL}/v1",
        cache=False,
        num_retries=0,
    )
)


class Bakery(dspy.Module):
    def __init__(self, tools):
        super().__init__()
        self.react = dspy.ReAct("question, history: dspy.History -> answer", tools=tools)

    def forward(self, question, history):
        return self.react(question=question, history=history)


def ask_returns(request: str) -> str:
    """Ask the agent for returns."""
    return dspy.ReAct("question -> answer", tools=[shop.refund])(question=request).answer


def open_conversation(scenario):
    agent = Bakery([ask_returns] if scenario == "handover" else shop.TOOLS)
    history = dspy.History(messages=[])

    def ask(question):
        done = agent(question=question, history=history)
        history.messages.append({"question": question, "answer": done.answer})

    return ask


shop.play(open_conversation)
