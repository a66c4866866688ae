"""Summaries of what several recordings do not show: one line for each fact and each remedy."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from agentevals.model.completeness import Fact, Gap
from agentevals.model.conversations import Conversation, Turn
from agentevals.traces.turns.turn_edges import TOGETHER

SPLIT = (
    "the requests of one turn are in traces of their own. Put them under one span, such as "
    "'with tracer.start_as_current_span(\"turn\"):', and record again"
)


@dataclass
class Missing:
    """A fact that some turns do not show, and how to record it: the same for all of them."""

    gap: Gap
    turns: int = 0
    conversations: set[str] = field(default_factory=set)


def list_missing(
    conversations: Iterable[Conversation], facts: Container[Fact] = frozenset(Fact)
) -> list[Missing]:
    """Return what the recordings do not show of these facts, in the order of the facts."""
    found: dict[tuple[Fact, str], Missing] = {}
    for conversation in conversations:
        for turn in conversation.turns:
            for gap in turn.gaps:
                if gap.fact in facts:
                    missing = found.setdefault((gap.fact, gap.remedy), Missing(gap))
                    missing.turns += 1
                    missing.conversations.add(conversation.conversation_id)
    order = list(Fact)
    return sorted(found.values(), key=lambda missing: order.index(missing.gap.fact))


def explain_worthless(conversation: Conversation, *, alone: bool) -> str:
    """Explain why nothing is worth expecting of a recording; empty if something is.

    A run finds the case of a recording by its id or its question, or because there is no other.
    """
    turns = conversation.turns
    question = turns[0].find_gap(Fact.QUESTION)
    if question and not conversation.case_id and not alone:
        return f"a run cannot find its case, because {question.reason}"
    answer = [turn.find_gap(Fact.ANSWER) for turn in turns]
    calls = [turn.find_gap(Fact.TOOL_CALLS) for turn in turns]
    if all(answer) and all(calls):
        return f"it shows neither answers nor tool calls; {answer[0] and answer[0].reason}"
    return ""


class Requests:
    """Conversations of one request each, by their question. They may be parts of one turn."""

    def __init__(self) -> None:
        self._ends: dict[str, set[bool]] = {}

    def add(self, conversation: Conversation) -> None:
        """Remember a conversation that consists of a single request."""
        if _is_request(conversation):
            ends = self._ends.setdefault(conversation.turns[0].user, set())
            ends.add(_ends_with_call(conversation.turns[0]))

    @property
    def has_parts(self) -> bool:
        """True if some of them are parts of one turn."""
        return any(len(ends) > 1 for ends in self._ends.values())

    def is_part(self, conversation: Conversation) -> bool:
        """Return whether other requests with the same question end otherwise.

        One asks for a tool, and another answers: an instrumentation of the model's client alone
        makes a trace of each.
        """
        ends = self._ends.get(conversation.turns[0].user, set())
        return _is_request(conversation) and len(ends) > 1


def _is_request(conversation: Conversation) -> bool:
    turns = conversation.turns
    return (
        not conversation.case_id
        and len(turns) == 1
        and len(turns[0].model_calls) == 1
        and not turns[0].find_gap(Fact.QUESTION)
    )


def _ends_with_call(turn: Turn) -> bool:
    gap = turn.find_gap(Fact.ANSWER)
    return bool(turn.tool_calls) and turn.response is None and (not gap or gap.remedy == TOGETHER)
