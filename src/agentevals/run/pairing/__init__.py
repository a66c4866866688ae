"""Which recorded conversation answers which expectation. Never guesses: leftovers are findings."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import chain, islice, starmap

from agentevals.configs.plan import Expectation, Pairs
from agentevals.files.spool import Spool
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation
from agentevals.model.policy import Policy
from agentevals.model.results import Finding, Severity
from agentevals.model.shards import WHOLE, Shard
from agentevals.run.pairing.hidden_tokens import hide_alike
from agentevals.run.pairing.leftovers import (
    EMPTY,
    NO_EVAL_SET,
    NOTHING_ALIKE,
    NOTHING_SAID,
    Leftovers,
    list_names,
    report_nothing_answered,
    report_nothing_recorded,
    report_uneven,
    report_unpaired,
    suggest_doctor,
)
from agentevals.run.pairing.matching import Index, check_place


class Pairing:
    """Pairs conversations as they come, and remembers what was left over on either side."""

    def __init__(
        self,
        expectations: Sequence[Expectation] | None,
        policy: Policy,
        *,
        needed: bool = False,
        shard: Shard = WHOLE,
        pairs: Pairs = "auto",
    ) -> None:
        self._expectations, self._needed, self._shard = expectations, needed, shard
        self._by_position = pairs == "position" and expectations is not None
        self._uneven: tuple[Finding, ...] = ()
        self._foreign_allowed = not policy.fail_on_foreign
        self._missed = Severity.ERROR if policy.fail_on_missing else Severity.WARNING
        self._index = Index(expectations or ())
        self.left = Leftovers()

    def pair(self, conversations: Iterable[Conversation]) -> Iterator[Case]:
        """A case for each conversation, in the order in which they were recorded.

        All are paired, whatever the shard, so that each shard pairs them alike.
        """
        if self._by_position:
            yield from self._pair_by_position(conversations)
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

    def has_several(self, conversations: Iterable[Conversation]) -> bool:
        """Return whether there is more than one, so that parts of them are paired as all are."""
        return self.count_first(conversations) > 1 and not self._by_position

    def count_first(self, conversations: Iterable[Conversation]) -> int:
        """Return how many are to be paired, two at the most; those that are not are left over."""
        return len(tuple(islice(self._select_recorded(conversations), 2)))

    def _pair_each(self, conversations: Iterable[Conversation], *, alone: bool) -> Iterator[Case]:
        for conversation in conversations:
            self.left.with_turns += bool(conversation.turns)
            case = self._match(conversation, alone=alone)
            if self._shard.holds(case.case_id):
                yield case

    def _pair_by_position(self, conversations: Iterable[Conversation]) -> Iterator[Case]:
        """The first with the first, and so on; none at all where there are more of either."""
        kept = Spool(Conversation)
        for conversation in self._select_recorded(conversations):
            self.left.with_turns += bool(conversation.turns)
            kept.append(conversation)
        expectations = self._expectations or ()
        uneven = len(kept) != len(expectations)
        if uneven:
            self._uneven = (report_uneven(len(kept), len(expectations)),)
        for at, conversation in enumerate(kept):
            wanted = (
                "not paired by position" if uneven else check_place(conversation, expectations[at])
            )
            case = self._make_case(conversation, wanted)
            if self._shard.holds(case.case_id):
                yield case

    def findings(self) -> tuple[Finding, ...]:
        """Return what did not come together. Complete once `pair` is exhausted."""
        return (*self._report_leftovers(), *self._report_preparations(), *self._report_foreign())

    def _select_recorded(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        for conversation in conversations:
            if conversation.preparation:
                self.left.preparing.append(conversation.conversation_id)
                continue
            if not conversation.turns:
                self.left.silent.update(dict.fromkeys(conversation.sources))
            if conversation.foreign:
                self.left.foreign.append(conversation.conversation_id)
            if not (conversation.foreign and self._foreign_allowed):
                yield conversation

    def _report_preparations(self) -> Iterator[Finding]:
        if self.left.preparing:
            names = list_names(self.left.preparing)
            message = (
                "there is nothing to evaluate in traces that only create an agent, or only show "
                f"a server that the agent calls: {names}"
            )
            yield Finding(severity=Severity.NOTE, rule="preparation", message=message)

    def _report_foreign(self) -> Iterator[Finding]:
        """Said with a remedy where they fail the run, and only where there is an agent as well."""
        if self.left.foreign and self.left.with_turns:
            names = list_names(self.left.foreign)
            look = f"'{suggest_doctor(list(self.left.silent))}' shows what is in them"
            then = f"--allow-foreign leaves them out; {look}"
            left = "left out" if self._foreign_allowed else then
            message = f"nothing in these traces was recorded by an agent; {left}: {names}"
            severity = Severity.NOTE if self._foreign_allowed else Severity.WARNING
            yield Finding(severity=severity, rule="foreign-trace", message=message)

    def _report_leftovers(self) -> tuple[Finding, ...]:
        if not self.left.with_turns:
            return (report_nothing_recorded(list(self.left.silent)),)
        if self._expectations is None:
            return (NO_EVAL_SET,) if self._needed else ()
        if self._uneven:
            return self._uneven
        if not self.left.answered:
            return self._report_unanswered(self._expectations)
        strays = starmap(report_unpaired, self.left.unpaired.items())
        return (*self._report_missing(), *self.left.differing, *strays)

    def _report_unanswered(self, expectations: Sequence[Expectation]) -> tuple[Finding, ...]:
        """With what conversations say of their case, where that is another one."""
        asked = [wanted.opening or wanted.case_id for wanted in expectations]
        if not asked:
            return (EMPTY,)
        told = {
            reason: names
            for reason, names in self.left.unpaired.items()
            if reason not in {NOTHING_ALIKE, NOTHING_SAID}
        }
        return (report_nothing_answered(asked), *starmap(report_unpaired, told.items()))

    def _match(self, conversation: Conversation, *, alone: bool) -> Case:
        if self._expectations is None:
            reason = conversation.error or "no eval set provided"
            return Case(conversation=conversation, unpaired=reason)
        return self._make_case(conversation, self._index.find(conversation, alone=alone))

    def _make_case(self, conversation: Conversation, wanted: Expectation | str) -> Case:
        if conversation.error:
            return Case(conversation=conversation, unpaired=conversation.error)
        if isinstance(wanted, str):
            self.left.unpaired.setdefault(wanted, []).append(conversation.conversation_id)
            return Case(conversation=conversation, unpaired=wanted)
        self.left.answered.add(wanted.case_id)
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
        if not self._shard.holds(wanted.case_id):
            return
        missing = expected > recorded
        verb = "are missing" if missing else "were not expected"
        self.left.differing.append(
            Finding(
                severity=self._missed if missing else Severity.WARNING,
                rule="missing-turn" if missing else "unexpected-turn",
                message=f"{wanted.case_id}: {abs(expected - recorded)} of "
                f"{max(expected, recorded)} turns {verb}",
            )
        )

    def _report_missing(self) -> Iterator[Finding]:
        fails = self._missed is Severity.ERROR
        remedy = "; record it again, or give --allow-missing" if fails else ""
        for wanted in self._expectations or ():
            if wanted.case_id not in self.left.answered and self._shard.holds(wanted.case_id):
                yield Finding(
                    severity=self._missed,
                    rule="missing-case",
                    message=f"{wanted.case_id}: no recorded conversation answers this eval case"
                    f"{remedy}",
                )
