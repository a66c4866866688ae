"""Tokens that `record` or `bless` has hidden on one side. To compare, both hide them."""

from typing import cast

import msgspec

from agentevals.model.conversations import Conversation, Turn
from agentevals.text.redaction import TokenMarker, find_marks, redact_texts

Turns = tuple[Turn, ...] | None


def hide_alike(conversation: Conversation, expected: Turns) -> tuple[Conversation, Turns]:
    """Return both sides, each without the tokens that the other one hides. Others stay."""
    if not expected:
        return conversation, expected
    turns = conversation.turns
    recorded, wanted = find_marks(turns), find_marks(expected)
    if wanted:
        turns = cast("tuple[Turn, ...]", redact_texts(turns, TokenMarker(wanted)))
        conversation = msgspec.structs.replace(conversation, turns=turns)
    return conversation, redact_texts(expected, TokenMarker(recorded)) if recorded else expected
