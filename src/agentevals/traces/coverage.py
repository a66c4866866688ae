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
