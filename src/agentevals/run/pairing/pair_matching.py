"""How a conversation shows which expectation it answers: by its id, its texts, or its place.

`record` or `bless` may have hidden tokens on one side. To compare, both hide them.
"""

from collections.abc import Sequence
from typing import cast

import msgspec

from agentevals.configs.plan import Expectation
from agentevals.files.key_numbering import Places
from agentevals.model.conversations import Conversation, Turn
from agentevals.run.pairing.unpaired_findings import NOTHING_ALIKE, NOTHING_SAID, list_names
from agentevals.text.redaction import TokenMarker, find_marks, fold_question, redact_texts

Turns = tuple[Turn, ...] | None


class Index:
    """The expectations, to be found by what a conversation says; those on disk stay there."""

    def __init__(self, expectations: Sequence[Expectation]) -> None:
        self._expectations = expectations
        self._ids, self._openings, self._closings = Places(), Places(), Places()
        for place, wanted in enumerate(expectations):
            self._ids.add(wanted.case_id, place)
            openings = map(fold_question, (wanted.opening, *wanted.openings))
            for opening in dict.fromkeys(openings):
                self._openings.add(opening, place)
                if wanted.task:  # messages that go before may not have been recorded as turns
                    self._closings.add(opening, place)

    def find(self, conversation: Conversation, *, alone: bool) -> int | str:
        """The place of the one expectation that this answers, or why there is none."""
        if conversation.rival_case_ids:
            names = (conversation.case_id, *conversation.rival_case_ids)
            return f"ambiguous eval case: it names {list_names(names)}"
        if conversation.case_id:
            found = self._ids.find(conversation.case_id)
            return found[-1] if found else f"eval case '{conversation.case_id}' not found"
        opening, closing = _find_ends(conversation)
        hits = self._openings.find(opening) if opening else []
        closed = self._closings.find(closing) if closing and len(self._closings) else []
        hits = hits or closed
        if len(hits) > 1:
            return self._narrow(hits, closed, len(conversation.turns))
        if hits:
            return hits[0]
        if alone and len(self._ids) == 1:
            return len(self._expectations) - 1
        return NOTHING_ALIKE if opening else NOTHING_SAID

    def _narrow(self, hits: list[int], closed: list[int], turns: int) -> int | str:
        """Return the one of several that also ends like the conversation, or is as long."""
        ending = {self._expectations[place].case_id for place in closed}
        known = [(place, self._expectations[place]) for place in hits]
        both = [place for place, wanted in known if wanted.case_id in ending]
        alike = [place for place, wanted in known if len(wanted.turns or ()) == turns]
        only = next((found for found in (both, alike) if len(found) == 1), None)
        return only[0] if only else "ambiguous eval case"


def _find_ends(conversation: Conversation) -> tuple[str, str]:
    """Return what the user said first and last, as expectations are found by it."""
    turns = conversation.turns
    if not turns:
        return "", ""
    opening = fold_question(turns[0].user)
    return opening, opening if len(turns) == 1 else fold_question(turns[-1].user)


def check_place(conversation: Conversation, wanted: Expectation) -> str:
    """Return why what a conversation says of itself forbids its place; empty if it does not."""
    named = {*filter(None, [conversation.case_id]), *conversation.rival_case_ids}
    if named <= {wanted.case_id}:
        return ""
    return f"in the place of {wanted.case_id!r}, but it names {list_names(sorted(named))}"


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
