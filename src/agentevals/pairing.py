"""Which recorded conversation answers which expectation. Never guesses: leftovers are findings."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from agentevals.model import Case, Conversation
from agentevals.plan import Expectation
from agentevals.report import Blame, Finding, Policy, Severity
from agentevals.shards import WHOLE, Shard

_NOTHING_RECORDED = Finding(
    severity=Severity.ERROR,
    rule="nothing-recorded",
    message="the traces hold no turn of an agent; record them with GenAI instrumentation on, "
    "for example with 'agentevals record -o traces/ -- COMMAND'",
    blame=Blame.INPUT,
)
_NO_EVAL_SET = Finding(
    severity=Severity.ERROR,
    rule="no-eval-set",
    message="every evaluator compares with an eval set, and there is none; give --eval-set, write "
    "'eval_set:' in the config, or make one of good recordings with 'agentevals bless'",
    blame=Blame.INPUT,
)
_EMPTY = Finding(
    severity=Severity.ERROR,
    rule="nothing-answered",
    message="the eval set has no cases; write some, or make them of good recordings with "
    "'agentevals bless'",
    blame=Blame.INPUT,
)
_LISTED = 5  # names shown in a sentence before it says how many more there are


class Pairing:
    """Pairs conversations as they come, and remembers what was left over on either side."""

    def __init__(
        self,
        expectations: Sequence[Expectation] | None,
        policy: Policy,
        *,
        needed: bool = False,
        shard: Shard = WHOLE,
    ) -> None:
        self._expectations, self._needed, self._shard = expectations, needed, shard
        self._foreign_allowed = not policy.fail_on_foreign
        self._missed = Severity.ERROR if policy.fail_on_missing else Severity.WARNING
        self._by_id = {wanted.case_id: wanted for wanted in expectations or ()}
        self._by_opening: dict[str, list[Expectation]] = {}
        for wanted in expectations or ():
            for opening in dict.fromkeys(map(_normal, (wanted.opening, *wanted.openings))):
                self._by_opening.setdefault(opening, []).append(wanted)
        self._answered: set[str] = set()
        self._unpaired: dict[str, list[str]] = {}
        self._differing: list[Finding] = []
        self._preparing: list[str] = []
        self._foreign: list[str] = []
        self._with_turns = 0

    def pair(self, conversations: Iterable[Conversation]) -> Iterator[Case]:
        """A case for each conversation, in the order in which they were recorded.

        All are paired, whatever the shard, so that each shard pairs them alike.
        """
        rest = self._at_work(conversations)
        first = tuple(islice(rest, 2))
        for conversation in chain(first, rest):
            self._with_turns += bool(conversation.turns)
            case = self._case(conversation, alone=len(first) == 1)
            if self._shard.holds(case.case_id):
                yield case

    def findings(self) -> tuple[Finding, ...]:
        """What did not come together. Complete once `pair` is exhausted."""
        return (*self._leftovers(), *self._prepared(), *self._strangers())

    def _at_work(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        for conversation in conversations:
            if conversation.preparation:
                self._preparing.append(conversation.conversation_id)
                continue
            if conversation.foreign:
                self._foreign.append(conversation.conversation_id)
            if not (conversation.foreign and self._foreign_allowed):
                yield conversation

    def _prepared(self) -> Iterator[Finding]:
        if self._preparing:
            names = _listed(self._preparing)
            message = f"an agent is only created here, so there is nothing to evaluate: {names}"
            yield Finding(severity=Severity.NOTE, rule="preparation", message=message)

    def _strangers(self) -> Iterator[Finding]:
        """Said with a remedy where they fail the run, and only where there is an agent as well."""
        if self._foreign and self._with_turns:
            names = _listed(self._foreign)
            left = "left out" if self._foreign_allowed else "--allow-foreign leaves them out"
            message = f"nothing in these traces was recorded by an agent; {left}: {names}"
            severity = Severity.NOTE if self._foreign_allowed else Severity.WARNING
            yield Finding(severity=severity, rule="foreign-trace", message=message)

    def _leftovers(self) -> tuple[Finding, ...]:
        if not self._with_turns:
            return (_NOTHING_RECORDED,)
        if self._expectations is None:
            return (_NO_EVAL_SET,) if self._needed else ()
        if not self._answered:
            return (self._nothing_answered() if self._expectations else _EMPTY,)
        unpaired = (_unpaired(reason, names) for reason, names in self._unpaired.items())
        return (*self._missing(), *self._differing, *unpaired)

    def _case(self, conversation: Conversation, *, alone: bool) -> Case:
        if conversation.error or self._expectations is None:
            reason = conversation.error or "no eval set provided"
            return Case(conversation=conversation, unpaired=reason)
        wanted = self._wanted(conversation, alone=alone)
        if isinstance(wanted, str):
            self._unpaired.setdefault(wanted, []).append(conversation.conversation_id)
            return Case(conversation=conversation, unpaired=wanted)
        self._answered.add(wanted.case_id)
        self._compare_lengths(conversation, wanted)
        return Case(
            conversation=conversation,
            eval_case_id=wanted.case_id,
            expected=wanted.turns,
            unpaired="" if wanted.turns else f"eval case '{wanted.case_id}' expects no turns",
            rubrics=wanted.rubrics,
            criteria=wanted.criteria,
            scenario=wanted.scenario,
            task=wanted.task,
        )

    def _wanted(self, conversation: Conversation, *, alone: bool) -> Expectation | str:
        """The one expectation that this conversation answers, or why there is none."""
        if conversation.rival_case_ids:
            names = (conversation.case_id, *conversation.rival_case_ids)
            return f"ambiguous eval case: it names {_listed(names)}"
        if conversation.case_id:
            found = self._by_id.get(conversation.case_id)
            return found or f"eval case '{conversation.case_id}' not found"
        opening = _normal(conversation.turns[0].user) if conversation.turns else ""
        hits = self._by_opening.get(opening, []) if opening else []
        if len(hits) > 1:
            hits = [h for h in hits if len(h.turns or ()) == len(conversation.turns)]
            return hits[0] if len(hits) == 1 else "ambiguous eval case"
        if hits:
            return hits[0]
        if alone and len(self._by_id) == 1:
            return next(iter(self._by_id.values()))
        return "no matching eval case" if opening else "no user input to match"

    def _compare_lengths(self, conversation: Conversation, wanted: Expectation) -> None:
        expected, recorded = len(wanted.turns or ()), len(conversation.turns)
        # the messages of an EVAL file say how a conversation begins, not how many turns it has
        if not wanted.turns or wanted.task or expected == recorded or not recorded:
            return
        if not self._shard.holds(wanted.case_id):
            return
        missing = expected > recorded
        verb = "are missing" if missing else "were not expected"
        self._differing.append(
            Finding(
                severity=self._missed if missing else Severity.WARNING,
                rule="missing-turn" if missing else "unexpected-turn",
                message=f"{wanted.case_id}: {abs(expected - recorded)} of "
                f"{max(expected, recorded)} turns {verb}",
            )
        )

    def _missing(self) -> Iterator[Finding]:
        fails = self._missed is Severity.ERROR
        remedy = "; record it again, or give --allow-missing" if fails else ""
        for wanted in self._expectations or ():
            if wanted.case_id not in self._answered and self._shard.holds(wanted.case_id):
                yield Finding(
                    severity=self._missed,
                    rule="missing-case",
                    message=f"{wanted.case_id}: no recorded conversation answers this eval case"
                    f"{remedy}",
                )

    def _nothing_answered(self) -> Finding:
        asked = _listed([wanted.opening or wanted.case_id for wanted in self._expectations or ()])
        return Finding(
            severity=Severity.ERROR,
            rule="nothing-answered",
            message=f"no recorded conversation answers any case of the eval set ({asked}); "
            "give the traces the attribute 'agentevals.eval.case.id', or an eval set whose "
            "first user messages are those of the traces",
            blame=Blame.INPUT,
        )


def _unpaired(reason: str, names: Sequence[str]) -> Finding:
    noun = "conversation is" if len(names) == 1 else "conversations are"
    message = f"{len(names)} {noun} not paired with a case ({reason}): {_listed(names)}"
    return Finding(severity=Severity.WARNING, rule="unpaired", message=message)


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:80]) for name in names[:_LISTED])
    rest = len(names) - _LISTED
    return f"{shown} and {rest} more" if rest > 0 else shown
