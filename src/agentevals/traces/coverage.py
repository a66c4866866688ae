"""Summaries of what several recordings do not show: one line for each fact and each remedy."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from agentevals.model.completeness import Fact, Gap
from agentevals.model.conversations import Conversation


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
