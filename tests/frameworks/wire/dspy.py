"""DSPy's ReAct, which asks for fields in the text of a chat completion: a tool, or the answer."""

import json
import re

from tests.frameworks.script import Call, Step
from tests.frameworks.wire import Heard

_ENDS = "[[ ## completed ## ]]"
_ASKS_TOOL, _ASKS_ANSWER = "`[[ ## next_tool_name ## ]]`", "`[[ ## answer ## ]]`"
_TOLD = re.compile(
    r"\[\[ ## tool_name_(\d+) ## \]\]\n(.*?)\n\n.*?"
    r"\[\[ ## observation_\1 ## \]\]\n(.*?)\n\n(?=\[\[|Respond )",
    re.DOTALL,
)
_QUESTION = re.compile(r"\[\[ ## question ## \]\]\n(.*?)\n\n(?=\[\[|Respond )", re.DOTALL)
FINISHED = Step(calls=(Call("finish", {}),))


def is_asked(heard: Heard) -> bool:
    """Whether it is ReAct that asks."""
    marks = (_ASKS_TOOL, _ASKS_ANSWER)
    return any(mark in text for text in heard.texts[-1:] for mark in marks)


def list_texts(heard: Heard) -> tuple[str, ...]:
    """What users ask: of ReAct it is one of many fields."""
    return tuple(_QUESTION.findall(heard.texts[-1])) if is_asked(heard) else heard.texts


def choose(step: Step, heard: Heard) -> Step:
    """A model that has nothing left to do says so by a tool, before it is asked for the answer."""
    if step.calls or not is_asked(heard) or _ASKS_ANSWER in heard.texts[-1]:
        return step
    return FINISHED


def spell(step: Step) -> str:
    """What it says: one tool with its arguments, or the answer."""
    if not step.calls:
        return _write(reasoning="That is all.", answer=step.text)
    [call] = step.calls
    args = json.dumps(call.args, ensure_ascii=False)
    thought = f"I use {call.name}."
    return _write(next_thought=thought, next_tool_name=call.name, next_tool_args=args)


def hear(heard: Heard) -> list[tuple[str, str]]:
    """Each tool, with what it has answered so far."""
    return [(name, told) for _, name, told in _TOLD.findall(heard.texts[-1])]


def _write(**fields: str) -> str:
    parts = [f"[[ ## {name} ## ]]\n{value}" for name, value in fields.items()]
    return "\n\n".join([*parts, _ENDS])
