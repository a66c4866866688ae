"""How a conversation shows which expectation it answers: by its id, its texts, or its place."""

from collections.abc import Sequence

from agentevals.configs.plan import Expectation, fold_question
from agentevals.model.conversations import Conversation
from agentevals.run.pairing.leftovers import NOTHING_ALIKE, NOTHING_SAID, list_names


class Index:
    """The expectations, to be found by what a conversation says."""

    def __init__(self, expectations: Sequence[Expectation]) -> None:
        self._by_id = {wanted.case_id: wanted for wanted in expectations}
        self._by_opening: dict[str, list[Expectation]] = {}
        self._by_closing: dict[str, list[Expectation]] = {}
        self._folded: dict[str, str] = {}  # as expectations spell them, and most recordings
        for wanted in expectations:
            for asked in (wanted.opening, *wanted.openings):
                self._folded[asked] = fold_question(asked)
            openings = [self._folded[asked] for asked in (wanted.opening, *wanted.openings)]
            for opening in dict.fromkeys(openings):
                self._by_opening.setdefault(opening, []).append(wanted)
                if wanted.task:  # messages that go before may not have been recorded as turns
                    self._by_closing.setdefault(opening, []).append(wanted)

    def find(self, conversation: Conversation, *, alone: bool) -> Expectation | str:
        """The one expectation that this conversation answers, or why there is none."""
        if conversation.rival_case_ids:
            names = (conversation.case_id, *conversation.rival_case_ids)
            return f"ambiguous eval case: it names {list_names(names)}"
        if conversation.case_id:
            found = self._by_id.get(conversation.case_id)
            return found or f"eval case '{conversation.case_id}' not found"
        opening, closing = self._find_ends(conversation)
        hits = self._by_opening.get(opening, []) if opening else []
        closed = self._by_closing.get(closing, []) if closing else []
        hits = hits or closed
        if len(hits) > 1:
            return self._narrow(hits, closed, len(conversation.turns))
        if hits:
            return hits[0]
        if alone and len(self._by_id) == 1:
            return next(iter(self._by_id.values()))
        return NOTHING_ALIKE if opening else NOTHING_SAID

    def _find_ends(self, conversation: Conversation) -> tuple[str, str]:
        """Return what the user said first and last, as expectations are found by it."""
        turns = conversation.turns
        if not turns:
            return "", ""
        opening = self._fold(turns[0].user)
        return opening, opening if len(turns) == 1 else self._fold(turns[-1].user)

    def _fold(self, asked: str) -> str:
        known = self._folded.get(asked)
        return fold_question(asked) if known is None else known

    def _narrow(
        self, hits: list[Expectation], closed: list[Expectation], turns: int
    ) -> Expectation | str:
        """Return the one of several that also ends like the conversation, or is as long."""
        ending = {wanted.case_id for wanted in closed}
        both = [wanted for wanted in hits if wanted.case_id in ending]
        alike = [wanted for wanted in hits if len(wanted.turns or ()) == turns]
        only = next((found for found in (both, alike) if len(found) == 1), None)
        return only[0] if only else "ambiguous eval case"


def check_place(conversation: Conversation, wanted: Expectation) -> Expectation | str:
    """Return whether what a conversation says of itself allows its place."""
    named = {*filter(None, [conversation.case_id]), *conversation.rival_case_ids}
    if named <= {wanted.case_id}:
        return wanted
    return f"in the place of {wanted.case_id!r}, but it names {list_names(sorted(named))}"
