"""Which recorded conversation answers which expectation. Never guesses: leftovers are findings."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from itertools import chain, islice

from agentevals.configs.plan import Expectation, Pairs
from agentevals.files.spool import Spool
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation
from agentevals.model.policy import Policy
from agentevals.model.results import Finding, Severity
from agentevals.run.pairing.pair_matching import Index, check_place, hide_alike
from agentevals.run.pairing.pairing_findings import describe, report
from agentevals.run.pairing.unpaired_findings import Leftovers

Read = Callable[[range], Iterable[Conversation]]  # the conversations of a part of the recordings


class Pairing:
    """Pairs conversations as they come, and remembers what was left over on either side."""

    def __init__(
        self,
        expectations: Sequence[Expectation] | None,
        policy: Policy,
        *,
        needed: bool = False,
        pairs: Pairs = "auto",
    ) -> None:
        self._expectations = expectations
        self.expected = describe(expectations, policy, needed=needed, pairs=pairs)
        self._index = Index(expectations or ())
        self.left = Leftovers()

    def pair(self, conversations: Iterable[Conversation]) -> Iterator[Case]:
        """A case for each conversation, in the order in which they were recorded."""
        if self.expected.by_position:
            kept = Spool(Conversation)
            for conversation in self._select_recorded(conversations):
                kept.append(conversation)
            yield from self._pair_places(kept, 0, len(kept))
            return
        rest = self._select_recorded(conversations)
        first = tuple(islice(rest, 2))
        yield from self._pair_each(chain(first, rest), alone=len(first) == 1)

    def begin_anew(self) -> "Pairing":
        """Return one that pairs alike, for which nothing is left over yet."""
        anew = copy(self)
        anew.left = Leftovers()
        return anew

    def pair_part(self, conversations: Iterable[Conversation]) -> Iterator[Case]:
        """A case for each conversation of a part of them; none is paired for being the only one."""
        yield from self._pair_each(self._select_recorded(conversations), alone=False)

    def pair_shard(self, read: Read, part: range, number: int) -> Iterator[Case]:
        """A case for each conversation of a part of them, paired as among all of this number."""
        if not self.expected.by_position:
            alone = not self.begin_anew().has_several(read(range(number)))
            yield from self._pair_each(self._select_recorded(read(part)), alone=alone)
            return
        before, all_of_them = (self._count(read(range(end))) for end in (part.start, number))
        yield from self._pair_places(self._select_recorded(read(part)), before, all_of_them)

    def _count(self, conversations: Iterable[Conversation]) -> int:
        anew = self.begin_anew()
        return sum(1 for _ in anew._select_recorded(conversations))  # noqa: SLF001 -- of this class

    def has_several(self, conversations: Iterable[Conversation]) -> bool:
        """Return whether there is more than one, so that parts of them are paired as all are."""
        return self.count_first(conversations) > 1 and not self.expected.by_position

    def count_first(self, conversations: Iterable[Conversation]) -> int:
        """Return how many are to be paired, two at the most; those that are not are left over."""
        return len(tuple(islice(self._select_recorded(conversations), 2)))

    def _pair_each(self, conversations: Iterable[Conversation], *, alone: bool) -> Iterator[Case]:
        return (self._match(conversation, alone=alone) for conversation in conversations)

    def _pair_places(
        self, conversations: Iterable[Conversation], first: int, number: int
    ) -> Iterator[Case]:
        """The first with the first, and so on; none at all where there are more of either.

        These conversations are some of a `number` of them, which come after the `first` ones.
        """
        expectations = self._expectations or ()
        for at, conversation in enumerate(conversations, first):
            if number == len(expectations):
                yield self._make_case(
                    conversation, check_place(conversation, expectations[at]) or at
                )
            else:
                yield self._make_case(conversation, "not paired by position")

    def findings(self) -> tuple[Finding, ...]:
        """Return what did not come together. Complete once `pair` is exhausted."""
        return report(self.expected, self.left)

    def _select_recorded(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        for conversation in conversations:
            if conversation.preparation:
                self.left.preparing.append(conversation.conversation_id)
                continue
            if not conversation.turns:
                self.left.silent.update(dict.fromkeys(conversation.sources))
            if conversation.foreign:
                self.left.foreign.append(conversation.conversation_id)
            if not (conversation.foreign and self.expected.foreign_allowed):
                self.left.recorded += 1
                self.left.with_turns += bool(conversation.turns)
                yield conversation

    def _match(self, conversation: Conversation, *, alone: bool) -> Case:
        if self._expectations is None:
            reason = conversation.error or "no eval set provided"
            return Case(conversation=conversation, unpaired=reason)
        return self._make_case(conversation, self._index.find(conversation, alone=alone))

    def _make_case(self, conversation: Conversation, place: int | str) -> Case:
        """Return the case of a conversation that answers the expectation at this place, if any."""
        if conversation.error:
            return Case(conversation=conversation, unpaired=conversation.error)
        if isinstance(place, str):
            self.left.unpaired.setdefault(place, []).append(conversation.conversation_id)
            return Case(conversation=conversation, unpaired=place)
        self.left.answer(place)
        wanted = (self._expectations or ())[place]
        self._compare_lengths(conversation, wanted)
        conversation, expected = hide_alike(conversation, wanted.turns)
        return Case(
            conversation=conversation,
            eval_case_id=wanted.case_id,
            expected=expected,
            unpaired="" if wanted.turns else f"eval case '{wanted.case_id}' expects no turns",
            rubrics=wanted.rubrics,
            criteria=wanted.criteria,
            scenario=wanted.scenario,
            task=wanted.task,
            equal_turns=wanted.equal_turns,
        )

    def _compare_lengths(self, conversation: Conversation, wanted: Expectation) -> None:
        expected, recorded = len(wanted.turns or ()), len(conversation.turns)
        # the messages of an EVAL file say how a conversation begins, not how many turns it has
        if not wanted.turns or wanted.task or expected == recorded or not recorded:
            return
        missing = expected > recorded
        verb = "are missing" if missing else "were not expected"
        self.left.differing.append(
            Finding(
                severity=self.expected.missed if missing else Severity.WARNING,
                rule="missing-turn" if missing else "unexpected-turn",
                message=f"{wanted.case_id}: {abs(expected - recorded)} of "
                f"{max(expected, recorded)} turns {verb}",
            )
        )
