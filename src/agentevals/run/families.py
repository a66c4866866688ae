"""Families of cases: which of them are variants of one task, by what `gate.cluster` names."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from agentevals.configs.eval_case_labels import find_label, list_labels
from agentevals.configs.plan import Plan
from agentevals.files.document_places import quote
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation
from agentevals.model.noun import Noun
from agentevals.model.results import Finding, Severity
from agentevals.text.wording import plural
from agentevals.traces.turns.conversation_groups import find_session

_CONVERSATION = "conversation"  # a key of eval cases as well, which says what is expected of them
_LOOKED_AT = 100  # cases without a family whose attributes are suggested
_LISTED = 5  # names


class FamilyNames(Noun, frozen=True, omit_defaults=False):
    """The key that `gate.cluster` names, and what an eval set has of it."""

    name: str = ""
    known: tuple[str, ...] = ()
    is_expected: bool = False  # some eval case has it


class FamilyCount:
    """Remembers which cases have a family, and which attributes the others have."""

    def __init__(self, names: FamilyNames) -> None:
        self._names = names
        self._with, self._without = set[str](), set[str]()
        self._attributes = set[str]()

    @property
    def is_asked(self) -> bool:
        """True if cases may have families at all."""
        return bool(self._names.name)

    @property
    def has_seen_enough(self) -> bool:
        """True if the attributes of further cases without a family are of no interest."""
        return len(self._without) > _LOOKED_AT

    def add(self, case_id: str, family: str, attributes: Sequence[str]) -> None:
        """Remember whether a case has a family."""
        if self._names.name:
            (self._with if family else self._without).add(case_id)
            if not family and not self.has_seen_enough:
                self._attributes.update(attributes)

    def findings(self) -> Iterator[Finding]:
        """Yield what is told once all cases were seen: that all or some of them have no family."""
        alone, every = len(self._without), len(self._with | self._without)
        start, name = "'gate.cluster':", quote(self._names.name)
        if alone and not self._with and not self._names.is_expected:
            message = f"{start} no case has {name}{self._suggest()}, so each is its own family"
            yield Finding(severity=Severity.WARNING, rule="cluster-unknown", message=message)
        elif alone:
            cases = f"{alone:,} of {plural(every, 'case')}"
            message = f"{start} {name} is missing in {cases}; each of these is its own family"
            yield Finding(severity=Severity.NOTE, rule="no-family", message=message)

    def _suggest(self) -> str:
        known = self._names.known
        near = get_close_matches(self._names.name, [*known, *sorted(self._attributes)], n=1)
        more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        listed = f" (known: {', '.join(known[:_LISTED])}{more})"
        return f" (did you mean {near[0]!r}?)" if near else listed


class Families:
    """Finds the family of each case by what an eval set and its recording say."""

    def __init__(self, plan: Plan) -> None:
        self._name = plan.policy.cluster or ""
        expectations = plan.expectations or () if self._name else ()
        self._labels = {wanted.case_id: wanted.labels for wanted in expectations}
        self.count = FamilyCount(self.describe())

    def describe(self) -> FamilyNames:
        """Return what findings need to know of the eval set."""
        every = self._labels.values()
        told = {name for labels in every for name in list_labels(labels)}
        return FamilyNames(
            name=self._name,
            known=tuple(sorted({*told, _CONVERSATION})),
            is_expected=any(find_label(labels, self._name) for labels in every),
        )

    def find(self, case: Case) -> tuple[str, tuple[str, ...]]:
        """Return the family of a case, or else the names of the attributes that might tell it.

        The family is empty if it is one of its own. `count` remembers it.
        """
        if not self._name:
            return "", ()
        labels = self._labels.get(case.eval_case_id or "", {})
        found = self._read(labels, case.conversation)
        if found or self.count.has_seen_enough:
            return found, ()
        return "", tuple(dict.fromkeys(_list_attributes(case.conversation)))

    def _read(self, labels: Mapping[str, Any], conversation: Conversation) -> str:
        if self._name == _CONVERSATION:
            return find_session(conversation)
        return find_label(labels, self._name) or _find_attribute(conversation, self._name)


def _find_attribute(conversation: Conversation, name: str) -> str:
    said = (
        find_label({name: place.get(name)}, name)
        for span in conversation.spans
        for place in (span.attributes, span.resource)
    )
    return next(filter(None, said), "")


def _list_attributes(conversation: Conversation) -> Iterator[str]:
    for span in conversation.spans:
        yield from span.attributes
        yield from span.resource
