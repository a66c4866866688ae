"""Words that a framework puts around what a user asks and a model answers, where no span of it is.

A client of a model records them as they are. Only the agent's own span tells what they were about.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentevals.model.conversations import ToolCall
from agentevals.traces.turns.turn_drafts import Step


class _Wording(NamedTuple):
    """Words of a framework. One of the `marks` stands in every text that the pattern finds."""

    by: str
    marks: tuple[str, ...]
    pattern: re.Pattern[str]

    def stands_in(self, text: str) -> bool:
        """Look for the marks first: most texts have none, and a pattern takes far longer."""
        return any(mark in text for mark in self.marks) and bool(self.pattern.search(text))


_DSPY = _Wording("DSPy", ("[[ ## ",), re.compile(r"\[\[ ## \w+ ## \]\]"))
_QUESTIONS = (
    _Wording("CrewAI", ("Current Task: ",), re.compile(r"\A\s*Current Task: ")),
    _Wording("smolagents", ("New task:",), re.compile(r"\ANew task:\n")),
    _DSPY,
)
_REASONED = _Wording(
    "the framework",
    ("Final Answer:", "Action Input:"),
    re.compile(r"(?ms)\AThought:.*^Final Answer:|^Action: [^\n]+\nAction Input:"),
)
_CALLS = (
    re.compile(r"(?m)^Action: *(.+)\nAction Input:"),
    re.compile(r"\[\[ ## next_tool_name ## \]\]\n(.+)"),
)
_MARKS = ("Action Input:", "[[ ## next_tool_name")  # a quick look before the patterns
REMEDY = "Instrument the framework as well as the client of the model, and record again"


def explain_question(question: str) -> str:
    """Return why a question is not the user's; empty if it may be."""
    return _explain(question, _QUESTIONS)


def explain_answer(answer: str | None, *, says: bool) -> str:
    """Return why an answer is not what the user got; empty if it may be.

    An agent's span that `says` it may still hold the reasoning before it.
    """
    return _explain(answer or "", (_REASONED,) if says else (_DSPY, _REASONED))


def _explain(text: str, known: Sequence[_Wording]) -> str:
    for wording in known:
        if wording.stands_in(text):
            return f"{wording.by} has put it in words of its own, and no span of the agent has it"
    return ""


def find_unseen_call(requests: Iterable[Step], called: Sequence[ToolCall]) -> str:
    """Tell of a tool that a model has asked for in its text, and that no span has run."""
    named = list(_list_named(requests))
    if not named:
        return ""
    told = Counter(map(_simplify, named))
    unseen = told - Counter(_simplify(call.name) for call in called)
    tool = f"the tool {next(iter(unseen), '')!r}"
    return f"the model asks for {tool} in its text, and no span has run it" if unseen else ""


def _list_named(requests: Iterable[Step]) -> Iterable[str]:
    for request in requests:
        text = request.reading.output_text
        if any(mark in text for mark in _MARKS):
            for pattern in _CALLS:
                yield from pattern.findall(text)


def _simplify(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip()).lower()
