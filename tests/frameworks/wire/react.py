"""The text by which a model asks for tools where a framework reads calls out of its answers."""

import re
from dataclasses import replace
from typing import Any

from tests.frameworks.script import Step
from tests.frameworks.wire import Said, flatten

_ASKED_FOR = "Action Input:"
_OBSERVED = re.compile(r"^Observation: ?(.*?)(?=\nThought:|\Z)", re.MULTILINE | re.DOTALL)


def is_wanted(asked: dict[str, Any]) -> bool:
    """True if the instructions describe this text, and the request offers no tools."""
    told = (flatten(m.get("content")) for m in asked["messages"] if m["role"] == "system")
    return not asked.get("tools") and any(_ASKED_FOR in text for text in told)


def hear(asked: dict[str, Any]) -> dict[str, str]:
    """The answers of tools: they follow each other behind what the model has said."""
    said = [flatten(m.get("content")) for m in asked["messages"] if m["role"] == "assistant"]
    found = [match[1].strip() for text in said for match in _OBSERVED.finditer(text)]
    return {name(number): text for number, text in enumerate(found)}


def name(number: int) -> str:
    """The call of a turn with this number: such calls have no ids."""
    return f"observation {number}"


def split(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """One call at a time."""
    return tuple(
        replace(step, calls=calls)
        for step in steps
        for calls in ([(call,) for call in step.calls] or [()])
    )


def spell(said: Said) -> Said:
    """The same answer as the framework reads it."""
    if said.refuses:
        return said
    if not said.calls:
        return replace(said, text=f"Thought: I know the answer.\nFinal Answer: {said.text}")
    (call,) = said.calls
    thought = said.text or "I look."
    text = f"Thought: {thought}\nAction: {call.name}\nAction Input: {call.text}"
    return replace(said, text=text, calls=())
