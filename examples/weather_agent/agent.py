"""A small weather agent: OpenTelemetry spans as the GenAI conventions name them, a scripted model.

Run it on its own, or let its traces be recorded:

    agentevals record -o traces/ -- python examples/weather_agent/agent.py

Without arguments it holds every conversation of `script.py`; with arguments only those named.
"""

import json
import sys

from script import CONVERSATIONS, ScriptedModel
from telemetry import span, telemetry
from tools import TOOLS

MODEL = "scripted-1"


def converse(name):
    """One conversation; each turn is a trace, and they share a conversation id."""
    messages = []
    for turn in CONVERSATIONS[name]:
        messages.append({"role": "user", "parts": [{"type": "text", "content": turn["user"]}]})
        print(f"user: {turn['user']}")
        print(f"agent: {answer(name, messages, ScriptedModel(turn))}")


def answer(name, messages, model):
    """Ask the model until it has an answer instead of tool calls."""
    with span(
        "invoke_agent weather_agent",
        operation="invoke_agent",
        agent={"name": "weather_agent"},
        conversation={"id": name},
        input={"messages": messages[-1:]},
    ) as invoking:
        while calls := ask(messages, model):
            messages.append({"role": "tool", "parts": [use_tool(call) for call in calls]})
        invoking(output={"messages": messages[-1:]})
    return messages[-1]["parts"][0]["content"]


def ask(messages, model):
    """One request to the model; the tool calls it wants."""
    with span(
        f"chat {MODEL}",
        operation="chat",
        provider={"name": "scripted"},
        request={"model": MODEL},
        input={"messages": messages},
    ) as chatting:
        reply, tokens = model.reply(messages)
        chatting(output={"messages": [reply]}, response={"model": MODEL}, usage=tokens)
    messages.append(reply)
    return [part for part in reply["parts"] if part["type"] == "tool_call"]


def use_tool(call):
    """Run one tool; its failure is an answer, too."""
    with span(
        f"execute_tool {call['name']}",
        operation="execute_tool",
        tool={"name": call["name"], "call": {"id": call["id"], "arguments": call["arguments"]}},
    ) as using:
        result = TOOLS[call["name"]](**call["arguments"])
        using(tool={"call": {"result": result}})
    return {"type": "tool_call_response", "id": call["id"], "response": result}


def main(names):
    unknown = sorted(set(names) - CONVERSATIONS.keys())
    if unknown:
        sys.exit(f"no conversation {json.dumps(unknown)}; there are {', '.join(CONVERSATIONS)}")
    with telemetry(seed=names):
        for name in names or CONVERSATIONS:
            converse(name)


if __name__ == "__main__":
    main(sys.argv[1:])
